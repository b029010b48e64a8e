import ClusterCore
import GeoFormats
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CSVTests {
  @Test func aTable() throws {
    let outcome = read(
      "\u{FEFF}name,LAT, Lon ,ID,size,\"a \"\"b\"\"\"\r\n"
        + "\"x, \"\"y\"\"\r\nz\",1.5,-.5,7,12.50,true\r\n\r\n"
        + "\t\"\u{1},+2,3.,007,,\r\n"
        + "\"\",-90,1e2,,-0,\"1e3\"",
      .csv)
    #expect(outcome.error == nil && outcome.problems == [])
    #expect(
      outcome.features == [
        ReadFeature(
          id: try FeatureID(integer: 7), isText: true, ordinates: [-0.5, 1.5],
          properties: #"{"name":"x, \"y\"\r\nz","size":12.50,"a \"b\"":"true"}"#),
        ReadFeature(
          id: try FeatureID(text: "007".utf8), isText: true, ordinates: [3, 2],
          properties: #"{"name":"\t\"\u0001"}"#),
        ReadFeature(
          id: nil, isText: false, ordinates: [100, -90], properties: #"{"size":-0,"a \"b\"":"1e3"}"#
        ),
      ])
  }

  @Test(arguments: [
    ("1,2", "has 2 fields, but the header has 4"),
    ("1,2,3,4,5", "has 5 fields, but the header has 4"),
    (",2,3,", #""" in the column "lon" is not a number"#),
    ("1,x,3,", #""x" in the column "lat" is not a number"#),
    ("nan,2,3,", #""nan" in the column "lon" is not a number"#),
    ("inf,2,3,", #""inf" in the column "lon" is not a number"#),
    ("0x1,2,3,", #""0x1" in the column "lon" is not a number"#),
    ("1e999,2,3,", #""1e999" in the column "lon" is not a number"#),
    ("1 1,2,3,", #""1 1" in the column "lon" is not a number"#),
    ("1e,2,3,", #""1e" in the column "lon" is not a number"#),
    (".,2,3,", #""." in the column "lon" is not a number"#),
    ("+-1,2,3,", #""+-1" in the column "lon" is not a number"#),
    ("181,2,3,", #""181" in the column "lon": longitude 181.0 is beyond ±180"#),
    (
      "1,91,3,",
      #""91" in the column "lat": latitude 91.0 is beyond ±90: longitude and latitude look swapped"#
    ), ("1,2,a\u{7F},", #""a " in the column "id": the id holds a control character"#),
    ("1,2,3,1e999", #""1e999" in the column "a" is a number out of range"#),
    ("1,2,3,-1E+999", #""-1E+999" in the column "a" is a number out of range"#),
    ("1,2,3,\"a\"b", #"text follows the closing quote of the column "a""#),
    ("\"1\" ,2,3,4", #"text follows the closing quote of the column "lon""#),
    ("1,2,3,\"a", #"the quote that opens in the column "a" is not closed"#),
  ])
  func badLines(_ line: String, _ detail: String) {
    let outcome = read("lon,lat,id,a\n1,2,3,4\n\n\(line)", .csv)
    #expect(outcome.features.count == 1 && outcome.rejected == 1)
    #expect(outcome.problems == [FeatureProblem(pointer: "/lines/4", detail: detail)])
  }

  @Test(arguments: [
    ("id,lat,lon,\"a\"x\n1,2,3,4", "text follows the closing quote of field 4"),
    ("id,lat,lon,\"a\n1,2,3,4", "the quote that opens in field 4 is not closed"),
    (
      "lat,lon" + String(repeating: ",a", count: 17_000) + "\n1,2",
      "the header has 17002 columns, and at most 16384 are read"
    ),
  ])
  func `a header is refused for its own mistake`(_ table: String, _ detail: String) {
    let outcome = read(table, .csv)
    #expect(outcome.error == .notFeatures(pointer: "/lines/1", detail: detail))
  }

  @Test(arguments: [7.301, 54.357, 58.463, 86.33054563, 0.1])
  func `degrees with a sign or a letter are the same number`(_ degrees: Double) {
    for text in ["\(degrees)°", "\(degrees) °", "\(degrees)°N", "N \(degrees)", "-\(degrees)°"] {
      let outcome = read("lat,lon\n\(text),1", .csv)
      let sign = text.hasPrefix("-") ? -1.0 : 1
      #expect(outcome.features.first?.ordinates.last == sign * degrees, "\(text)")
    }
  }

  @Test func `a point of GeoJSON in a column says in which system it is`() {
    func table(_ system: String) -> String {
      let point = "{\"type\":\"Point\",\(system)\"coordinates\":[13.4,52.5]}"
      return "id,geom\n1,\"" + point.replacing("\"", with: "\"\"") + "\"\n"
    }
    func crs(_ name: String) -> String {
      "\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"\(name)\"}},"
    }
    for system in ["", crs("EPSG:4326"), "\"crs\":null,", "\"coordRefSys\":\"EPSG:4326\","] {
      #expect(read(table(system), .csv).features.count == 1, "\(system)")
    }
    for system in [crs("EPSG:4314"), "\"crs\":{},", "\"coordRefSys\":\"EPSG:25832\","] {
      let outcome = read(table(system), .csv)
      #expect(outcome.rejected == 1, "\(system)")
      #expect(outcome.problems.first?.detail.contains("reference system") == true, "\(outcome)")
    }
  }

  @Test func invalidUTF8() {
    let outcome = read(Array("lon,lat,a\n1,2,".utf8) + [0xFF] + Array("\n3,4,5".utf8), .csv)
    #expect(
      outcome.problems == [
        FeatureProblem(
          pointer: "/lines/2",
          detail:
            "\"\u{FFFD}\" in the column \"a\" is not UTF-8: windows-1252? (encoding=windows-1252)")
      ])
    #expect(outcome.features.count == 1)
    #expect(read([0xFF, 0x2C] + Array("lon,lat\n1,2,3".utf8), .csv).refusedAt == "/lines/1")
  }

  @Test func headers() {
    for header in [
      "lon,lat", "x,y", "LNG,Latitude", "long,LAT", "\"longitude\",\" y \"", "lon,lat,x,y,a",
    ] {
      let outcome = read(
        header + "\n1,2" + (header.count > 12 && header.hasPrefix("lon,lat,x") ? ",3,4,5" : ""),
        .csv)
      #expect(outcome.features.map(\.ordinates) == [[1, 2]], "\(header)")
    }
    #expect(read("x,y,lat,lon\n1,2,3,4", .csv).features.map(\.properties) == [#"{"x":1,"y":2}"#])
    for header in [
      "", "\n", "a,b", "lon,b", "b,lat", "lon,lat,lat", "lon,lat,a, lat", "\"lon", "lon,\"lat\"x",
    ] {
      #expect(read(header, .csv).refusedAt == "/lines/1", "\(header)")
    }
    #expect(read("\n\na,b\n", .csv).refusedAt == "/lines/3")
    #expect(read("lon,lat", .csv) == Outcome())
  }

  @Test func ids() {
    func ids(_ column: [String]) -> [String] {
      read("lon,lat,Id\n" + column.map { "1,2,\($0)\n" }.joined(), .csv).features.map {
        ($0.isText ? "text " : "") + ($0.id?.description ?? "none")
      }
    }
    #expect(
      ids(["7", "-7", "", "9007199254740991", "\"8\"", "0"])
        == ["7", "-7", "none", "9007199254740991", "8", "0"])
    // One that is no such integer makes all of them texts.
    for other in ["007", "12e4", "1.0", "9007199254740992", "-0", " 9", "a"] {
      #expect(ids(["7", other, ""]) == ["text 7", "text \(other)", "none"])
    }
    let outcome = read("lon,lat,id,key\n1,2,3,k1\n1,2,4,\n", .csv, idProperty: "key")
    #expect(outcome.features.map { $0.id?.description } == ["k1", nil])
    #expect(outcome.features.map(\.properties) == [#"{"id":3,"key":"k1"}"#, #"{"id":4}"#])
    #expect(read("lon,lat,id\n1,2,3", .csv, idProperty: "nope").features.map(\.id) == [nil])
  }

  /// Random fields, quoted if necessary, are read back unchanged.
  @Test func fieldsRoundTrip() throws {
    var random = SeededGenerator(seed: 8)
    for _ in 0..<2000 {
      let fields = (0..<4).map { _ in
        String(
          (0..<Int.random(in: 1..<8, using: &random)).map { _ in
            "a,\"\n\r é;'".randomElement(using: &random) ?? "a"
          })
      }
      func quoted(_ field: String) -> String { "\"" + field.replacing("\"", with: "\"\"") + "\"" }
      let table =
        "a,lon,b,lat,c,d\r\n"
        + [quoted(fields[0]), "1", quoted(fields[1]), "2", quoted(fields[2]), quoted(fields[3])]
        .joined(separator: ",") + "\r\n"
      let feature = try #require(read(table, .csv).features.first)
      let value = try parsed(feature.properties)
      #expect(value.members.map { $0.value.string } == fields)
    }
  }

  /// Names of columns that each row repeats.
  private func wide(_ columns: Int, rows: Int) -> [UInt8] {
    let name = String(repeating: "n", count: 1000)
    let header = (0..<columns).map { ",\(name)\($0)" }.joined()
    let row = "1,2" + String(repeating: ",a", count: columns)
    return Array(("lon,lat\(header)\n" + String(repeating: row + "\n", count: rows)).utf8)
  }

  /// Reads with features of at most `maximumLength` bytes and room for `room` bytes.
  private func parse(
    _ bytes: [UInt8], maximumLength: Int = FeatureReader.usualLength, room: Int
  ) throws -> ParsedFeatures {
    try ParsedFeatures(
      of: bytes, .csv, maximumLength: maximumLength,
      room: DecodingRoom(granted: 0) { needed throws(FormatError) in
        guard needed <= room else { throw .noRoom }
        return needed
      })
  }

  @Test func `rows that repeat long names are bounded one by one`() throws {
    // The properties of a row are {"n…0":"a",…,"n…99":"a"}.
    let length = 1 + 10 * (3 + 1001 + 4) + 90 * (3 + 1002 + 4)
    let table = wide(100, rows: 3)
    let fitting = try parse(table, maximumLength: length, room: .max)
    #expect(
      fitting.batch.count == 3 && fitting.batch.withRecord(at: 0) { $0.properties.count } == length)
    let over = try parse(table, maximumLength: length - 1, room: .max)
    #expect(
      over.batch.isEmpty && over.problems.map(\.pointer) == ["/lines/2", "/lines/3", "/lines/4"])
    #expect(over.problems.first?.detail.hasPrefix("field 102: ") == true)
  }

  @Test func `rows that repeat long names are bounded in all`() throws {
    let table = wide(100, rows: 20)
    let whole = try parse(table, room: .max).batch.memory
    #expect(whole > 20 * 100 * 1000)
    #expect(try parse(table, room: whole).batch.count == 20)
    #expect(throws: FormatError.noRoom) { try parse(table, room: whole - 1) }
  }

  /// Positions and properties that tables come to.
  private func rows(_ table: String) -> [String] {
    let outcome = read(table, .csv)
    guard outcome.error == nil else { return ["\(String(describing: outcome.error))"] }
    return outcome.features.map { "\($0.ordinates) \($0.properties)" }
      + outcome.problems.map { "\($0.pointer) \($0.detail)" }
  }

  @Test func `letters of hemispheres have columns of their own`() {
    for (north, east) in [
      ("N/S", "E/W"), ("NS", "EW"), ("lat_dir", "lon_dir"), ("LatRef", "LonRef"),
    ] {
      let found = rows(
        "LATITUDE,\(north),LONGITUDE,\(east)\n33.5,S,70.5,W\n33.5,n,70.5, E\n33.5,N,70.5,\n0,,0,\n")
      #expect(
        found == [
          "[-70.5, -33.5] {\"\(north)\":\"S\",\"\(east)\":\"W\"}",
          "[70.5, 33.5] {\"\(north)\":\"n\",\"\(east)\":\" E\"}", "[0.0, 0.0] {}",
          "/lines/4 \"\" in the column \"\(east)\" is neither E nor W",
        ])
      // Degrees with signs or letters of their own need none.
      for (latitude, longitude, position) in [
        ("33.5", "-70.5", "[-70.5, 33.5]"), ("-33.5", "70.5", "[70.5, -33.5]"),
        ("33.5", "70.5W", "[-70.5, 33.5]"),
      ] {
        let table = "lat,\(north),lon,\(east)\n\(latitude),S,\(longitude),W\n"
        #expect(rows(table).first?.hasPrefix(position) == true, "\(table)")
      }
    }
    // Columns of other things, two that could be meant, a direction, and degrees with such a name.
    for (table, first) in [
      ("lat,lon,ns,ew\n1,2,a,7\n", "[2.0, 1.0]"), ("lat,lon,NS,lat_ref\n1,2,S,S\n", "[2.0, 1.0]"),
      ("site,lat,lon,NS\nI-94,41.8,87.7,S\n", "[87.7, 41.8]"),
      ("ref_lat,ref_lon\n1,2\n", "[2.0, 1.0]"),
      ("lat,lat_dir,lon\n1,S,2\n", "[2.0, -1.0]"),
    ] {
      #expect(rows(table).first?.hasPrefix(first) == true, "\(table)")
    }
  }

  @Test func `columns of hemispheres are noted, and an export has none`() {
    for (table, note) in [
      (
        "lat,ns,lon,ew\n1,S,2,W\n",
        "the columns \"ns\" and \"ew\" are the hemispheres of latitudes and longitudes"
      ),
      ("lat,lat_dir,lon\n1,S,2\n", "the column \"lat_dir\" holds the hemispheres of latitudes"),
      ("lat,lon,lon_ref\n1,2,W\n", "the column \"lon_ref\" holds the hemispheres of longitudes"),
    ] {
      let found = read(table, .csv)
      #expect(found.notes.contains(note), "\(found.notes)")
      #expect(found.features.first?.ordinates.contains { $0 < 0 } == true, "\(table)")
    }
    // As it is exported, degrees have signs.
    for header in ["id,longitude,latitude,road,ns,ew", "\"id\",\"longitude\",\"latitude\",a,ns,ew"]
    {
      let found = read("\(header)\r\n1,13.4,52.5,B1,S,W\r\n", .csv)
      #expect(found.features.first?.ordinates == [13.4, 52.5] && found.notes.isEmpty, "\(found)")
    }
    let other = read("longitude,latitude,ns,ew\n13.4,52.5,S,W\n", .csv)
    #expect(other.features.first?.ordinates == [-13.4, -52.5])
  }

  @Test(arguments: [
    ("MULTIPOINT ((13.4 52.5))", "[13.4, 52.5] {}"), ("MULTIPOINT(13.4 52.5)", "[13.4, 52.5] {}"),
    ("SRID=4326;multipoint z ( ( 13.4  52.5 7 ) )", "[13.4, 52.5, 7.0] {}"),
    ("MULTIPOINT ((1 2),(3 4))", "is a MULTIPOINT and no POINT"),
    ("MULTIPOINT EMPTY", "is an empty point"), ("MULTIPOINT ((1 2)", "is no point"),
    ("MULTIPOINT (((1 2)))", "is no point"), ("MULTIPOINT ()", "is no point"),
  ])
  func `a multipoint of one point is that point`(_ text: String, _ shown: String) {
    let found = rows("wkt\n\"\(text)\"\n")
    #expect(found.count == 1 && found[0].contains(shown), "\(found)")
  }

  @Test func `a workbook is no table, whatever its name says`() {
    for text in ["PK\u{3}\u{4}\u{14}lat,lon\n1,2\n", "PK\u{3}\u{4}"] {
      #expect("\(read(text, .csv))".contains("a ZIP archive"), "\(text)")
    }
    #expect(rows("PK,lat,lon\na,1,2\n") == ["[2.0, 1.0] {\"PK\":\"a\"}"])
  }

  @Test(
    arguments: [
      ("N 52° 31.200", 52.52), ("52° 31.2", 52.52), ("S0 08.040", -0.134),
      ("33 51.5 S", -(33 + 51.5 / 60)),
      ("33-51-30N", 33 + 51.5 / 60), ("4230N", 42.5), ("0131N", 1 + 31.0 / 60),
      ("423015S", -(42.5 + 15.0 / 3600)),
      ("4807.038N", 48.1173), ("12 34 56 N", 12 + 34.0 / 60 + 56.0 / 3600), ("52 N", 52),
      ("5°30'12 N", 5.5 + 12.0 / 3600),
      ("4260N", nil), ("33 -51 N", nil), ("33 51", nil), ("33.5 51 N", nil), ("1 2 3 4 N", nil),
      ("33 61 N", nil),
      ("33--51N", nil), ("5-N", nil), ("N30-", nil), ("0075N", nil), ("0042N", 0.7),
    ] as [(String, Double?)])
  func `degrees as people write them`(text: String, latitude: Double?) {
    let found = read(
      "lat,lon\n\"\(text.split(separator: "\"").joined(separator: "\"\""))\",131E\n", .csv)
    #expect(found.features.count == (latitude == nil ? 0 : 1))
    guard let latitude, let ordinates = found.features.first?.ordinates else { return }
    #expect(abs(ordinates[1] - latitude) < 1e-12 && ordinates[0] == 131)
  }

  @Test func `a longitude of digits has three for degrees`() {
    #expect(rows("lat,lon\n4230N,00131W\n") == ["[\(-(1 + 31.0 / 60)), 42.5] {}"])
  }

  @Test(arguments: [
    ("Latitud,Longitud", true), ("緯度,経度", true), ("Широта,Долгота", true),
    ("latitudine,longitudine", true),
    ("breedtegraad,lengtegraad", true), ("lat_error,lon_error", false), ("lat_rad,lon_rad", false),
    ("latitudeE7,longitudeE7", false),
  ])
  func `names of coordinates`(header: String, areCoordinates: Bool) {
    #expect(rows("\(header)\n1,2\n") == ["[2.0, 1.0] {}"] || !areCoordinates)
    #expect((read("\(header)\n1,2\n", .csv).error == nil) == areCoordinates)
    // Beside others they are properties.
    guard !areCoordinates else { return }
    #expect(read("lat,lon,\(header)\n1,2,3,4\n", .csv).features.first?.ordinates == [2, 1])
  }

  @Test func `blanks behind separators are no part of fields`() {
    let found = read(
      "name, lat, lon, pop\nA, 1, 2, 1000\n\"B, b\", 3, 4,5\n C , 5, 6, \"x, \"\"y\nz\"\"\"\n", .csv
    )
    #expect(found.error == nil && found.problems.isEmpty)
    #expect(
      found.features.map { "\($0.ordinates) \($0.properties)" } == [
        #"[2.0, 1.0] {"name":"A","pop":"1000"}"#, #"[4.0, 3.0] {"name":"B, b","pop":"5"}"#,
        #"[6.0, 5.0] {"name":"C ","pop":"x, \"y\nz\""}"#,
      ])
    // One without is another table.
    #expect(rows("name, lat, lon,pop\nA, 1, 2, x\n") == [#"[2.0, 1.0] {"name":"A","pop":" x"}"#])
  }

  @Test func `a separator at the end of all lines makes no field`() {
    #expect(
      rows("lat,lon,n\n1,2,A,\n3,4,B,\n") == [#"[2.0, 1.0] {"n":"A"}"#, #"[4.0, 3.0] {"n":"B"}"#])
    #expect(
      rows("lat,lon,n,\n1,2,A\n3,4,B\n") == [#"[2.0, 1.0] {"n":"A"}"#, #"[4.0, 3.0] {"n":"B"}"#])
    #expect(rows("lat,lon,n\n1,2,A,,\n") == ["/lines/2 has 5 fields, but the header has 3"])
    #expect(rows("lat,lon,n\n1,2,A,\"\"\n") == ["/lines/2 has 4 fields, but the header has 3"])
    // One that is at the end of some lines may be another's.
    #expect(
      rows("lat,lon,a,b\n52,13,Main St 5, Berlin,\n48,11,Foo,123\n") == [
        #"[11.0, 48.0] {"a":"Foo","b":"123"}"#, "/lines/2 has 5 fields, but the header has 4",
      ])
  }

  @Test func `titles above a header are left out`() {
    let title = "Report of stations\n# from; a, b\n\n,,\n"
    let found = read("\(title)id,lat,lon\n7,1,2\n8,x,4\n", .csv)
    #expect(
      found.features.map(\.ordinates) == [[2, 1]] && found.notes.contains { $0.contains("line 5") })
    #expect(found.problems.map(\.pointer) == ["/lines/7"])
    #expect(rows("sep=;\nTitle\nlat;lon\n1;2\n") == ["[2.0, 1.0] {}"])
    #expect(rows("Titel\r\nBreite,Länge\r\n1,2\r\n") == ["[2.0, 1.0] {}"])
    // Where there is no header, the first line is told, and a quote over lines or more lines hide one.
    for table in [
      "a,b\n1,2\n3,4\n", "\"Ti\ntle\"\nlat,lon\n1,2\n",
      String(repeating: "x\n", count: 11) + "lat,lon\n1,2\n",
    ] {
      guard case .notFeatures("/lines/1", _)? = read(table, .csv).error else {
        Issue.record("\(table)")
        continue
      }
    }
    // A header among features is none, and lines of nothing but named separators are blank.
    #expect(read("a,b,c\nfoo,1,2\nlat,lon,x\n1,2,3\n", .csv).error != nil)
    #expect(rows("Title;;;\nlat;lon;a;b\n1;2;;\n") == ["[2.0, 1.0] {}"])
    #expect(rows("sep=#\n##\nlon#lat#n\n1#2#a\n") == [#"[1.0, 2.0] {"n":"a"}"#])
    let first = String(repeating: "T", count: (64 << 10) - 1)
    #expect(rows("\(first)\nlat,lon\n1,2\n") == ["[2.0, 1.0] {}"])
    #expect(rows(String(repeating: "x\n", count: 10) + "lat,lon\n1,2\n") == ["[2.0, 1.0] {}"])
  }

  @Test func `the column id is the one of exactly that name`() {
    let found = read("ID,id,lat,lon\n7,a1,1,2\n7,a2,3,4\n", .csv)
    #expect(
      found.features.map(\.id) == [
        try? FeatureID(text: "a1".utf8), try? FeatureID(text: "a2".utf8),
      ])
    #expect(read("ID,lat,lon\n7,1,2\n", .csv).features.first?.id == (try? FeatureID(integer: 7)))
  }
}
