import GeoFormats
import Testing

/// Coordinates in columns and texts as public files have them.
@Suite(.timeLimit(.minutes(1))) struct CoordinateColumnTests {
  /// The position of the only row of a table, or why it has none.
  private func place(_ table: String) -> String {
    let found = read(table, .csv)
    if let error = found.error { return "\(error)" }
    return found.features.first.map { "\($0.ordinates)" } ?? found.problems.first?.detail ?? ""
  }

  @Test(arguments: [
    // The order is that of the name, or else that of the brackets.
    ("coordonneesXY", "[2.35, 48.85]", "[2.35, 48.85]"),
    ("coordonneesXY", "2.35,48.85", "[2.35, 48.85]"),
    ("CoordonnéesXY", "2.35 48.85", "[2.35, 48.85]"), ("lonlat", "(2.35,48.85)", "[2.35, 48.85]"),
    ("geo_point_2d", "[48.85, 2.35]", "[2.35, 48.85]"),
    ("latlng", "(48.85,2.35)", "[2.35, 48.85]"), ("Lat/Long", "48.85 2.35", "[2.35, 48.85]"),
    ("geometry.coordinates", "[2.35, 48.85]", "[2.35, 48.85]"),
    ("location", "(48.85, 2.35)", "[2.35, 48.85]"),
    ("location", "48,85 2,35", "[2.35, 48.85]"),
    ("GPS Coordinates", "48.85, 2.35", "[2.35, 48.85]"),
    ("géolocalisation", "48.85,2.35", "[2.35, 48.85]"),
    ("Coordenadas", "48.85,2.35", "[2.35, 48.85]"),
    ("location", "[48.85N, 2.35E]", "[2.35, 48.85]"),
    ("location", "[139.7, 35.7]", "[139.7, 35.7]"), ("gps", "(35.7,139.7)", "[139.7, 35.7]"),
    ("location", "[48.85, 2.35]", "is in either order"), ("gps", "(48.85,2.35)", "either order"),
    ("location", "(48.85, 2.35", "is no point"), ("location", "48 2.35", "is no point"),
    ("location", "[]", "is no point"), ("location", "(", "is no point"),
  ])
  func points(_ name: String, _ text: String, _ shown: String) {
    #expect(place("\(name)\n\"\(text)\"\n").contains(shown))
  }

  @Test func `an order that is by a name is noted`() {
    let found = read("coordonneesXY\n\"[2.35, 48.85]\"\n", .csv)
    #expect(found.notes == ["points are in the column \"coordonneesXY\", longitudes first"])
  }

  @Test(arguments: [
    ("reclat,reclong", "1,2", "[2.0, 1.0]"), ("INTPTLAT20,INTPTLON20", "+1,-002", "[-2.0, 1.0]"),
    ("x,y,reclat,reclong", "9,9,1,2", "[2.0, 1.0]"),
    ("reclat,reclong,lat,lon", "9,9,1,2", "[2.0, 1.0]"),
    ("fromlat,fromlon,tolat,tolon", "1,2,3,4", "all look like coordinates"),
    ("1,Goroka,-6.08,145.39", "2,Madang,-5.2,145.79", "has to name the columns"),
    ("flat,salon", "1,2", "no columns"), ("lat1,lon2", "1,2", "no columns"),
    // Of names that all say degrees, those that say nothing else.
    ("latitude_deg,longitude_deg,dme_latitude_deg,dme_longitude_deg", "1,2,3,4", "[2.0, 1.0]"),
    ("latitude_deg,longitude_deg,dme_latitude,dme_longitude", "1,2,3,4", "all look like"),
    ("Easting,Northing", "530000,180000", "projected coordinates"),
    ("Easting,Northing,lat,lon", "530000,180000,1,2", "[2.0, 1.0]"),
  ])
  func names(_ header: String, _ row: String, _ shown: String) {
    #expect(place("\(header)\n\(row)\n").contains(shown))
  }

  @Test func `minutes and seconds have columns of their own`() {
    for header in [
      "lat_deg,lat_min,lat_sec,lon_deg,lon_min,lon_sec", "LatD,LatM,LatS,LonD,LonM,LonS",
      "Latitude (degrees),Latitude (minutes),Latitude (seconds),Longitude (degrees),"
        + "Longitude (minutes),Longitude (seconds)",
    ] {
      let found = read(
        "\(header)\n48,30,36,-2,15,\n-0,30,0,0,0,\n1,60,0,2,0,0\n1,x,0,2,0,0\n", .csv)
      #expect(found.features.map(\.ordinates) == [[-2.25, 48.51], [0, -0.5]], "\(header)")
      #expect(found.features.allSatisfy { $0.properties == "{}" } && found.rejected == 2)
      #expect(found.notes.contains { $0.contains("minutes and seconds of degrees are in") })
    }
    #expect(place("lat_deg,lat_min,NS,lon_deg,lon_min,EW\n48,30.6,S,2,15,W\n") == "[-2.25, -48.51]")
    #expect(place("lat_deg;lat_min;lon_deg;lon_min\n48;30,6;2;15,0\n") == "[2.25, 48.51]")
    // Others are the least of degrees, or belong to one axis, and degrees in full need none.
    #expect(place("lat,lon,lat_min,lon_min,lat_max,lon_max\n1,2,3,4,5,6\n") == "[2.0, 1.0]")
    #expect(place("lat_deg,lat_min,lon\n1,30,2\n").contains("no columns"))
    #expect(
      place("lat,lon,lat_deg,lat_min,lon_deg,lon_min\n1,2,3,4,5,6\n") == "[2.0, 1.0]")
    // Columns of one kind without a name that tells them apart could be any of these.
    #expect(place("lat_deg,lat_mi,lon_deg,lon_mi\n1,2,3,4\n").contains("all look like"))
    let row = read(#"[{"lat_deg":48,"lat_min":30,"lon_deg":2,"lon_min":15}]"#, .geoJSON)
    #expect(row.features.isEmpty)
  }

  @Test(arguments: [
    ("48:30:36", "[2.0, 48.51]"), ("-48:30:36", "[2.0, -48.51]"), ("48:30.6N", "[2.0, 48.51]"),
    ("48 deg 30' 36.00\"\" N", "[2.0, 48.51]"), ("48:60:00", "is not a number"),
    ("48:", "is not a number"), ("1:2:3:4", "is not a number"), ("12:30 PM", "is not a number"),
  ])
  func `degrees with colons, and as cameras write them`(_ text: String, _ shown: String) {
    #expect(place("lat,lon\n\"\(text)\",2\n").contains(shown))
  }

  @Test func `an encoding in which the header names coordinates is told`() throws {
    // 緯度 and 経度 in Shift JIS, and 纬度 and 经度 in GBK.
    for (label, latitude, longitude) in [
      ("cp932", [0x88, 0xDC, 0x93, 0x78], [0x8C, 0x6F, 0x93, 0x78]),
      ("gb18030", [0xCE, 0xB3, 0xB6, 0xC8], [0xBE, 0xAD, 0xB6, 0xC8]),
    ] as [(String, [UInt8], [UInt8])] {
      let table = latitude + [0x2C] + longitude + Array("\n35.7,139.7\n".utf8)
      #expect("\(read(table, .csv))".contains("\(label)? (encoding=\(label))"))
      var options = TableOptions()
      options.assumesEncoding = true
      let parsed = try ParsedFeatures(of: table, .csv, table: options)
      #expect(parsed.batch.count == 1 && parsed.notes[0].contains(label), "\(parsed.notes)")
    }
  }

  @Test func `titles may be in quotes`() {
    for title in [#""Schools, parks, pools, 2024",,"#, #""The ""best"" of 2024""#, #""a""#] {
      let found = read("\(title)\r\n\r\nname,lat,lon\r\n\"A\r\nB\",1,2\r\n", .csv)
      #expect(found.features.map(\.ordinates) == [[2, 1]], "\(found)")
      #expect(found.notes.contains("the header is in line 3, below what was left out"))
    }
    #expect(read("\"a\nb\"\nname,lat,lon\nA,1,2\n", .csv).error != nil)
  }
}
