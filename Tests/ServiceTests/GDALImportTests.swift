import Glibc
import TestSupport
import Testing

/// `pincluster import` of files that GDAL reads.
@Suite(
  .timeLimit(.minutes(5)), .enabled(if: OGR.isThere, "no ogr2ogr is installed"))
struct GDALImportTests {
  let room: ImportRoom

  init() throws { room = try ImportRoom() }

  static let points = collection([
    (
      "\"Point\",\"coordinates\":[13.388860123456789,52.51703700000001]",
      #"{"name":"Straße","code":"01067"}"#
    ),
    ("\"Point\",\"coordinates\":[-0.1276,51.5072]", #"{"name":"London","code":"10115"}"#),
  ])

  private static func collection(_ features: [(geometry: String, properties: String)]) -> String {
    let texts = features.map {
      #"{"type":"Feature","geometry":{"type":\#($0.geometry)},"properties":\#($0.properties)}"#
    }
    return #"{"type":"FeatureCollection","features":[\#(texts.joined(separator: ","))]}"#
  }

  /// Has a file made of GeoJSON.
  func make(
    _ name: String, of text: String, _ flags: [String] = [], layer: String = "places"
  ) throws -> String {
    let source = try room.files.write(text, as: "source.geojson")
    let target = room.files.file(name)
    try ChildProcess.succeed(OGR.program, flags + ["-nln", layer, target, source])
    return target
  }

  @Test(arguments: [
    ("a.gpkg", [] as [String]), ("a.fgb", []), ("a.shp", ["-lco", "ENCODING=UTF-8"]), ("a.kml", []),
    ("a.gml", []),
    ("a.tab", []), ("a.sqlite", []),
  ])
  func `points of every usual kind`(_ name: String, _ flags: [String]) throws {
    try room.load(try make(name, of: Self.points, flags)).expectSuccess()
    let stored = try room.stored()
    #expect(stored.count == 2, "\(stored)")
    #expect(stored[0].hasPrefix("[-0.127") && stored[0].contains("London"), "\(stored)")
    #expect(stored[1].hasPrefix("[13.3888601") || stored[1].hasPrefix("[13.38886"), "\(stored)")
    #expect(stored[1].contains("Straße") && stored[1].contains("\"01067\""), "\(stored)")
  }

  @Test func `coordinates come bit for bit, and from other reference systems`() throws {
    try room.load(try make("a.gpkg", of: Self.points)).expectSuccess()
    #expect(
      try room.stored() == [
        #"[-0.1276,51.5072]{"name":"London","code":"10115"}"#,
        #"[13.388860123456789,52.51703700000001]{"name":"Straße","code":"01067"}"#,
      ])
    let metres = try make("b.gpkg", of: Self.points, ["-t_srs", "EPSG:25832"])
    let other = try ImportRoom()
    try other.load(metres).expectSuccess()
    let stored = try other.stored()
    #expect(stored.count == 2 && stored[1].hasPrefix("[13.38886012"), "\(stored)")
  }

  @Test func `without a reference system coordinates are degrees, as a note says`() throws {
    let path = try make("a.gpkg", of: Self.points, ["-a_srs", "NULL"])
    let run = try room.load(path).expectSuccess()
    #expect(
      run.output.contains("note: the layer places names no reference system"), "\(run.output)")
    #expect(try room.stored().count == 2)
  }

  @Test func `a layer is chosen where there are several`() throws {
    let path = try make("a.gpkg", of: Self.points)
    let more = try make("b.gpkg", of: Self.collection([("\"Point\",\"coordinates\":[1,2]", "{}")]))
    try ChildProcess.succeed(OGR.program, ["-update", "-nln", "more of it", path, more])
    try room.load(path).expectFailure(
      saying: "--layer", "places (Point, 2)", "more of it (Point, 1)")
    try room.load(path, "--layer", "nope").expectFailure(saying: "nope", "more of it")
    try room.load(path, "--layer", "more of it").expectSuccess()
    #expect(try room.stored() == ["[1,2]{}"])
    // Of tracks and waypoints only what isn't empty counts.
    let tracks = try make(
      "c.gpx", of: Self.points, ["-dsco", "GPX_USE_EXTENSIONS=YES"], layer: "waypoints")
    try room.load(tracks).expectSuccess()
    #expect(try room.stored().count == 3)
  }

  @Test(arguments: ["\nMy map\n", "-x"]) func `a layer may be called anything`(name: String) throws
  {
    let text =
      "<kml xmlns=\"http://www.opengis.net/kml/2.2\"><Document><name>\(name)</name>"
      + "<Placemark><Point><coordinates>1,2</coordinates></Point></Placemark></Document></kml>"
    try room.load(try room.files.write(text, as: "a.kml")).expectSuccess()
    #expect(try room.stored().count == 1)
  }

  @Test func `places of KML have the properties that the file gives them`() throws {
    let text =
      "<kml xmlns=\"http://www.opengis.net/kml/2.2\"><Document><Placemark><name>A</name><ExtendedData>"
      + "<Data name=\"extrude\"><value>yes</value></Data></ExtendedData>"
      + "<Point><coordinates>1,2</coordinates></Point></Placemark></Document></kml>"
    try room.load(try room.files.write(text, as: "a.kml")).expectSuccess()
    #expect(try room.stored() == [#"[1,2]{"Name":"A","extrude":"yes"}"#])
  }

  @Test func `sheets are tables`() throws {
    for name in ["a.xlsx", "a.ods"] {
      let rows = Self.collection([
        (
          "\"Point\",\"coordinates\":[0,0]",
          #"{"id":7,"name":"Straße, 5","lat":52.52,"lon":13.405,"plz":"01067","n":12}"#
        ),
        (
          "\"Point\",\"coordinates\":[0,0]",
          #"{"id":8,"name":"b","lat":51.5,"lon":-0.13,"plz":"01099","n":3.5}"#
        ),
      ])
      let room = try ImportRoom()
      try room.load(try make(name, of: rows)).expectSuccess()
      #expect(
        try room.stored() == [
          #"[-0.13,51.5]{"name":"b","plz":"01099","n":3.5}"#,
          #"[13.405,52.52]{"name":"Straße, 5","plz":"01067","n":12}"#,
        ], "\(name)")
    }
    let bare = try make("b.xlsx", of: Self.points)
    #expect(try room.load(bare).error.contains(bare))
  }

  @Test func `sheets keep digits and dates, and a CSV in an archive its numbers`() throws {
    let rows = Self.collection(
      [
        (
          "123456789012345678,\"when\":\"2024-01-02T03:04:05Z\",\"day\":\"2024-01-02\"", "007"
        ), ("123456789012345679", "1e5"), ("9007199254740993", "\\\"a, b"),
      ].map { big, text in
        (
          "\"Point\",\"coordinates\":[0,0]",
          "{\"big\":\(big),\"lat\":52.5,\"lon\":13.25,\"text\":\"\(text)\"}"
        )
      })
    for name in ["a.ods", "a.xlsx"] {
      let room = try ImportRoom()
      try room.load(try make(name, of: rows), "--id-property", "big").expectSuccess()
      let stored = try room.stored()
      #expect(stored.count == 3, "\(name): \(stored)")
      #expect(
        stored.contains { $0.contains("123456789012345678") && $0.contains("\"text\":\"007\"") })
      #expect(
        stored.contains {
          $0.contains("\"day\":\"2024-01-02\"") && $0.contains("2024-01-02T03:04:05")
        }
      )
      #expect(
        stored.contains { $0.contains("\"text\":\"\\\"a, b\"") }, "\(name): \(stored)")
    }
    let table = try room.files.write("id,lat,lon,v,code\n1,52.5,13.25,7,007\n", as: "stops.csv")
    let archive = try room.zip([table], as: "stops.zip")
    try room.load(archive, "--format", "gdal").expectSuccess()
    #expect(try room.stored() == [#"[13.25,52.5]{"v":7,"code":"007"}"#])
  }

  @Test func `lines and areas are refused, or are their centroids`() throws {
    let path = try make(
      "a.gpkg",
      of: Self.collection([
        ("\"Polygon\",\"coordinates\":[[[0,0],[4,0],[4,2],[0,2],[0,0]]]", #"{"n":1}"#),
        (
          "\"MultiPolygon\",\"coordinates\":[[[[10,10],[12,10],[12,12],[10,12],[10,10]]],[[[20,10],[22,10],[22,12],[20,12],[20,10]]]]",
          #"{"n":2}"#
        ),
      ]), ["-nlt", "MULTIPOLYGON"])
    try room.load(path).expectFailure(saying: "Multi Polygon", "--points centroid")
    try room.load(path, "--points", "centroid").expectSuccess()
    #expect(try room.stored() == [#"[16,11]{"n":2}"#, #"[2,1]{"n":1}"#])
    // The same for GeoJSON without GDAL.
    let line = try room.files.write(
      Self.collection([("\"LineString\",\"coordinates\":[[1,2],[3,6]]", #"{"n":3}"#)]),
      as: "line.geojson")
    let other = try ImportRoom()
    #expect(try other.load(line).error.contains("--points centroid"))
    try other.load(line, "--points", "centroid").expectSuccess()
    #expect(try other.stored() == [#"[2,4]{"n":3}"#])
  }

  @Test func `parts of points are points, and bad features are counted as everywhere`() throws {
    let path = try make(
      "a.gpkg",
      of: Self.collection([
        ("\"MultiPoint\",\"coordinates\":[[1,2],[3,4]]", #"{"n":1}"#),
        ("\"Point\",\"coordinates\":[5,6]", #"{"n":2}"#),
        ("\"LineString\",\"coordinates\":[[1,2],[3,4]]", #"{"n":3}"#),
      ]))
    let run = try room.load(path)
    #expect(run.exit == .code(1))
    #expect(
      run.errorLines.first?.hasPrefix("pincluster: feature 4: /geometry is a LineString") == true,
      "\(run.error)")
    #expect(try room.stored() == [])
    #expect(try room.load(path, "--on-error", "skip").exit == .code(0))
    #expect(try room.stored() == [#"[1,2]{"n":1}"#, #"[3,4]{"n":1}"#, #"[5,6]{"n":2}"#])
    // The parts of one would have the same id.
    let other = try ImportRoom()
    let refused = try other.load(path, "--id-property", "n", "--on-error", "skip")
    #expect(refused.error.contains("feature 1: /geometry"), "\(refused.error)")
    #expect(try other.stored() == [#"[5,6]{"n":2}"#])
    // To a service it is read twice.
    let server = try ServerProcess.ready()
    let url = ["--collection", "c", "--url", server.url]
    #expect(try Tool(["import", path] + url).exit == .code(1))
    #expect(try server.client.get("/collections/c").status == 404)
    try Tool(["import", try make("b.gpkg", of: Self.points)] + url).expectSuccess()
    #expect(try server.json("/collections/c")["featureCount"]?.int == 2)
    #expect(server.terminate() == 0)
  }

  @Test func `a sheet is read to its end, however long it is`() throws {
    // More than is looked at before the first row is read, and a late text in a column of numbers.
    let rows = (0..<12_000).map {
      "\($0),1.5,2.5,shop number \($0),\($0 == 11_999 ? "x" : "\($0)")"
    }
    let text = "id,lat,lon,name,code\n" + rows.joined(separator: "\n") + "\n"
    let (table, sheet) = (try room.files.write(text, as: "a.csv"), room.files.file("a.xlsx"))
    for path in [table, sheet] {
      if path == sheet { try ChildProcess.succeed(OGR.program, [sheet, table]) }
      let room = try ImportRoom()
      let run = try room.load(path, "--format", "gdal").expectSuccess()
      #expect(run.output.contains("12000 inserted"), "\(run.output)")
      let stored = try room.stored()
      #expect(stored.contains(#"[2.5,1.5]{"name":"shop number 7","code":"7"}"#), "\(stored[7])")
    }
  }

  @Test func `columns of a sheet keep their values, whatever they are called`() throws {
    let properties =
      #"{"lat":52,"lon":13,"sum\nin €":"a","Name":"b","name":"c","Layer name":"d","NAME":"e"}"#
    let feature = #"{"type":"Feature","geometry":null,"properties":\#(properties)}"#
    let sheet = try make("a.xlsx", of: #"{"type":"FeatureCollection","features":[\#(feature)]}"#)
    try room.load(sheet).expectSuccess()
    // The program that made the sheet has renamed two.
    let stored = try room.stored()
    #expect(stored.count == 1 && stored[0].contains("in €\":\"a\""), "\(stored)")
    #expect(stored[0].hasSuffix(#","Name":"b","name2":"c","Layer name":"d","NAME3":"e"}"#))
    let table = "id,v,V,v,v2,lat,lon\n1,5,6,7,8,52,13\n"
    let archive = try room.zip([try room.files.write(table, as: "b.csv")], as: "b.zip")
    let other = try ImportRoom()
    try other.load(archive, "--format", "gdal").expectSuccess()
    #expect(try other.stored() == [#"[13,52]{"v":5,"V":6,"v_2":7,"v2":8}"#])
  }

  @Test func `a file that is cut off is an error, or a note`() throws {
    let nodes = (1...3000).map {
      "<node id='\($0)' lat='1' lon='\(Double($0) / 100)' version='1'><tag k='name' v='n'/></node>\n"
    }
    let text = "<?xml version='1.0'?><osm version='0.6'>\n" + nodes.joined() + "</osm>\n"
    let path = try room.files.write(Array(text.utf8.prefix(text.utf8.count / 2)), as: "a.osm")
    try room.load(path, "--layer", "points").expectFailure(saying: "ERROR", "--on-error skip")
    #expect(try room.stored().isEmpty)
    let run = try room.load(path, "--layer", "points", "--on-error", "skip").expectSuccess()
    #expect(run.output.contains("note:") && run.output.contains("ERROR"), "\(run.output)")
    let places = (0..<500).map { ("\"Point\",\"coordinates\":[\($0 % 100),1]", "{}") }
    let whole = try Fixtures.bytes(path: try make("a.fgb", of: Self.collection(places)))
    let part = try room.files.write(Array(whole.prefix(whole.count / 4)), as: "b.fgb")
    try room.load(part).expectFailure(saying: "of 500 features in \(part) 0 could be read")
  }

  @Test func `a shapefile whose encoding nothing tells, and a table that is called one of MapInfo`()
    throws
  {
    let shape = try make("a.shp", of: Self.points, ["-lco", "ENCODING=ISO-8859-1"])
    #expect(unlink(room.files.file("a.cpg")) == 0)
    let refused = try room.load(shape)
    #expect(refused.exit == .code(1))
    #expect(refused.error.contains("isn't UTF-8: windows-1252? (--encoding windows-1252)"))
    try room.load(shape, "--encoding", "windows-1252").expectSuccess()
    #expect(try room.stored().contains { $0.contains("Straße") })
    let text = try room.files.write("name\tlat\tlon\na\t1\t2\n", as: "b.tab")
    try room.load(text).expectFailure(saying: "--format csv")
    let other = try ImportRoom()
    try other.load(text, "--format", "csv").expectSuccess()
    #expect(try other.stored() == [#"[2,1]{"name":"a"}"#])
  }

  @Test func `records of a shapefile that are marked as deleted are not missing`() throws {
    let shape = try make("a.shp", of: Self.points, ["-lco", "ENCODING=UTF-8"])
    let path = room.files.file("a.dbf")
    var table = try Fixtures.bytes(path: path)
    table[Int(table[8]) + Int(table[9]) << 8] = UInt8(ascii: "*")
    _ = try room.files.write(table, as: "a.dbf")
    try room.load(shape).expectSuccess()
    #expect(try room.stored().count == 1)
  }

  @Test func `the only layer of points is taken beside lines`() throws {
    func gpx(_ waypoints: String) throws -> String {
      try room.files.write(
        "<?xml version='1.0'?><gpx version='1.1' creator='x' xmlns='http://www.topografix.com/GPX/1/1'>"
          + waypoints
          + "<trk><trkseg><trkpt lat='1' lon='2'/><trkpt lat='3' lon='4'/></trkseg></trk></gpx>",
        as: "a.gpx")
    }
    let run = try room.load(try gpx("")).expectSuccess()
    #expect(run.output.contains("note: the layer is track_points"), "\(run.output)")
    #expect(try room.stored().count == 2)
    let several = "several layers; choose one with --layer: waypoints (Point, 1)"
    try room.load(try gpx("<wpt lat='5' lon='6'/>")).expectFailure(saying: several)
    try room.load(try gpx(""), "--points", "centroid").expectFailure(saying: "several layers")
  }

  @Test func `an archive of a shapefile`() throws {
    _ = try make("a.shp", of: Self.points, ["-lco", "ENCODING=UTF-8"])
    let names = ["shp", "shx", "dbf", "prj", "cpg"].map { room.files.file("a.\($0)") }
    try room.load(try room.zip(names, as: "a.zip")).expectSuccess()
    #expect(try room.stored().count == 2)
    // Of a folder, as file managers make it.
    let other = try ImportRoom()
    try other.load(try other.zip([room.files.path], as: "b.zip")).expectSuccess()
    #expect(try other.stored().count == 2)
  }

  @Test func `what ogr2ogr warns of is noted, each once, and little of it`() throws {
    let points = (0..<20).map { number in
      "<wpt lat='1' lon='\(number)'><time>2026-01-02T03:04:05Z</time><extensions>"
        + "<ogr:a>\(4_006_381_333_931 + number / 2)</ogr:a></extensions></wpt>\n"
    }
    let head =
      "<?xml version='1.0'?><gpx version='1.1' creator='x' xmlns='http://www.topografix.com/GPX/1/1'"
      + " xmlns:ogr='http://osgeo.org/gdal'>"
    for (count, more) in [(4, false), (20, true)] {
      let room = try ImportRoom()
      let text = head + points.prefix(count).joined() + "</gpx>"
      let run = try room.load(try room.files.write(text, as: "a.gpx")).expectSuccess()
      let notes = run.output.split(separator: "\n").filter { $0.hasPrefix("note: ogr2ogr ") }
      #expect(notes.count == (more ? 6 : 2), "\(run.output)")
      #expect(notes.first?.contains("'4006381333931' of field") == true, "\(run.output)")
      #expect(notes.last?.contains("more warnings") == more, "\(run.output)")
      #expect(!run.output.contains("natively"), "\(run.output)")
    }
  }

  @Test func `texts of GML without a schema keep their digits`() throws {
    let path = try make("a.gml", of: Self.points)
    #expect(unlink(room.files.file("a.xsd")) == 0)
    let run = try room.load(path).expectSuccess()
    #expect(run.output.contains("note: properties of GML without a schema"), "\(run.output)")
    let stored = try room.stored()
    #expect(stored.count == 2 && stored.contains { $0.contains("\"01067\"") }, "\(stored)")
    // Nothing is left beside it.
    #expect(access(room.files.file("a.gfs"), F_OK) != 0)
  }

  @Test func `points that have no place in degrees are bad features`() throws {
    let rows = "id,x,y,a\n1,389000,5819000,x\n2,1e12,1e12,bad\n3,390000,5820000,y\n"
    let (table, path) = (try room.files.write(rows, as: "w.csv"), room.files.file("w.gpkg"))
    try ChildProcess.succeed(
      OGR.program,
      [
        path, table, "-oo", "X_POSSIBLE_NAMES=x", "-oo", "Y_POSSIBLE_NAMES=y", "-a_srs",
        "EPSG:25833",
      ])
    let refused = try room.load(path)
    refused.expectFailure(saying: path, "reproject feature 2", "--on-error skip")
    #expect(!refused.error.contains("-skipfailures"), "\(refused.error)")
    #expect(try room.stored().isEmpty)
    let run = try room.load(path, "--on-error", "skip")
    #expect(run.exit == .code(0))
    #expect(run.output.contains("2 inserted, 0 updated, 1 rejected"), "\(run.output)")
    #expect(run.error.contains("feature 2: "), "\(run.error)")
    #expect(try room.stored().count == 2)
  }

  @Test func `what GDAL can't read is one line`() throws {
    let broken = try room.files.write("nothing of the kind", as: "a.gpkg")
    try room.load(broken).expectFailure(saying: broken, "ogrinfo")
    let parquet = try room.files.write("PAR1", as: "a.parquet")
    try room.load(parquet).expectFailure(saying: parquet, "Parquet")
    try room.load(room.files.file("none.gpkg")).expectFailure(saying: "none.gpkg", "No such file")
    try room.pipe(broken, "--format", "gdal").expectFailure(2, saying: "standard input")
    try room.load(room.files.file("a.csv"), "--layer", "a").expectFailure(2, saying: "--layer")
    try room.load(room.files.file("a.csv"), "--points", "centroid").expectFailure(2, saying: "CSV")
    let path = try make("b.gpkg", of: Self.points)
    let run = try Tool(
      ["import", path, "--collection", "c", "--data", room.data.path],
      launcher: ["/usr/bin/env", "PATH=\(room.files.path)"])
    run.expectFailure(saying: "ogrinfo isn't installed", "apt install gdal-bin")
    #expect(try room.stored() == [])
  }
}
