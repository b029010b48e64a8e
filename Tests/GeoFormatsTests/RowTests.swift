import ClusterCore
import GeoFormats
import TestSupport
import Testing

/// Lists of JSON objects that are no Features: places with coordinates among their members.
@Suite(.timeLimit(.minutes(5))) struct RowTests {
  private static func list(_ rows: String...) -> String { "[\(rows.joined(separator: ","))]" }

  /// Names of members that hold a longitude and a latitude.
  private static let names = [
    ("lng", "lat"), ("lon", "lat"), ("longitude", "latitude"), ("x", "y"), ("stop_lon", "stop_lat"),
    ("Longitude (deg)", "Latitude (deg)"), ("decimalLongitude", "decimalLatitude"),
    ("Länge", "Breite"),
  ]

  private static func quoted(_ text: String) -> String { TestJSON.string(text).text }

  @Test(arguments: Seeds.each(1...3))
  func `rows are the features with the same members`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let (longitude, latitude) = Self.names.randomElement(using: &random) ?? ("", "")
      let nests = Bool.random(using: &random)
      let hasIDs = Bool.random(using: &random)
      var (rows, features): ([String], [String]) = ([], [])
      for number in 0..<Int.random(in: 1...5, using: &random) {
        let x = Double.random(in: -180...180, using: &random)
        let y = Double.random(in: -90...90, using: &random)
        func written(_ value: Double) -> String {
          switch Int.random(in: 0..<4, using: &random) {
          case 0: Self.quoted("\(value)")
          case 1: Self.quoted(" \(value)\n")
          default: "\(value)"
          }
        }
        let axes = [
          "\(Self.quoted(longitude)):\(written(x))", "\(Self.quoted(latitude)) : \(written(y))",
        ].shuffled(using: &random)
        let others = [
          #""name":"a\"b\u00e9""#, #""n":-0.50"#, #""list":[1,{"a":null}]"#, #""é":true"#,
          #""type":"shop""#, #""properties":{"a":1}"#, #""n":2"#,
        ].filter { _ in Bool.random(using: &random) }
        let id =
          ["\(number)", "\"\(number)\"", "\"s/\(number)\"", "null"]
          .randomElement(using: &random) ?? ""
        let place = nests ? [#""where":{"accuracy":5,\#(axes.joined(separator: ","))}"#] : axes
        let ids = hasIDs ? ["\"ID\":\(id)"] : []
        // All begin alike, as the first tells what is meant.
        rows.append("{\((place + ids + others).joined(separator: " , "))}")
        let rest = (nests ? [#""where":{"accuracy":5}"#] : []) + others
        features.append(
          feature(
            "[\(x),\(y)]", properties: "{\(rest.joined(separator: ","))}",
            id: hasIDs ? id : nil))
      }
      let expected = read(
        "{\"type\":\"FeatureCollection\",\"features\":[\(features.joined(separator: ","))]}",
        .geoJSON)
      #expect(expected.features.count == rows.count && expected.rejected == 0)
      for (text, format) in [
        ("[\(rows.joined(separator: ","))]", FeatureFormat.geoJSON),
        (rows.joined(separator: "\n"), .geoJSONSequence),
      ] {
        let found = read(text, format)
        #expect(found.features == expected.features, "\(text)")
        #expect(found.rejected == 0 && found.error == nil, "\(found)")
      }
    }
  }

  @Test(arguments: [1000, 64, 7])
  func `elements of OpenStreetMap of each type have ids of their own`(_ chunk: Int) {
    func read(_ text: String, _ idProperty: String? = nil) -> Outcome {
      let bytes = Array(text.utf8)
      let cuts = Array(stride(from: chunk, to: bytes.count, by: chunk))
      return GeoFormatsTests.read(bytes, .geoJSON, idProperty: idProperty, cuts: cuts)
    }
    let rows = [
      #"{"type":"node","id":7,"lat":1,"lon":2,"tags":{"name":"A"}}"#,
      #"{"type":"way","id":7,"center":{"lat":3,"lon":4},"tags":{"name":"B"}}"#,
      #"{"type":"relation","id":7,"center":{"lat":5,"lon":6}}"#,
      #"{"type":"way","id":"x","center":{"lat":5,"lon":6}}"#,
      #"{"type":"area","id":8,"lat":7,"lon":8}"#,
    ]
    func ids(_ head: String, _ idProperty: String? = nil) -> [String] {
      let text = "{\(head):[\(rows.joined(separator: ","))]}"
      return read(text, idProperty).features.map { "\($0.id.map { "\($0)" } ?? "")" }
    }
    let found = read(
      "{\"version\":0.6,\"elements\":[\(rows.joined(separator: ","))]}")
    #expect(found.features.count == 5 && found.rejected == 0, "\(found)")
    #expect(found.notes.contains("ids of ways and relations name their types, such as way/1"))
    #expect(ids(#""elements""#) == ["7", "way/7", "relation/7", "x", "8"])
    // Elsewhere these are no elements of OpenStreetMap, and a property that is named is what it is.
    #expect(ids(#""places""#) == ["7", "7", "7", "x", "8"])
    #expect(ids(#""elements""#, "id") == ["7", "7", "7", "x", "8"])
  }

  @Test(arguments: [
    (#"{"location":{"type":"Point","coordinates":[3,4,5]},"a":1}"#, [3, 4, 5] as [Double]),
    (#"{"coordinates":[3,4]}"#, [3, 4]), (#"{"latlng":[3,4]}"#, [4, 3]),
    (#"{"LatLon":"3, 4"}"#, [4, 3]), (#"{"geom":"POINT (3 4)"}"#, [3, 4]),
    (#"{"position":{"lat":4,"lng":3},"size":{"x":"L"}}"#, [3, 4]),
    (#"{"lat":4,"lon":3,"position":{"lat":1,"lng":2}}"#, [3, 4]),
    (#"{"lat":"52°30′N","lon":"13.5 E"}"#, [13.5, 52.5]),
  ])
  func `a point in one member`(_ row: String, _ ordinates: [Double]) {
    let outcome = read("[\(row)]", .geoJSON)
    #expect(outcome.features.map(\.ordinates) == [ordinates], "\(outcome)")
  }

  @Test(arguments: [
    (#"{"lon":1}"#, "no number is in \"lat\""),
    (#"{"lat":null,"lon":1}"#, "no number is in \"lat\""),
    (#"{"lat":"x","lon":1}"#, "\"x\" in \"lat\" is not a latitude"),
    (#"{"lat":"5 E","lon":1}"#, "\"5 E\" in \"lat\" is not a latitude"),
    (#"{"lat":100,"lon":1}"#, "longitude and latitude look swapped"),
    (#"{"lat":1,"lon":181}"#, "longitude 181.0 is beyond ±180"), ("7", "not an object"),
    (#"{"lat":1,"lon":1,"id":[]}"#, "the id is neither"), (#"{"lat":1,"lon":NaN}"#, "NaN"),
  ])
  func `a bad row is named, and the others are read`(_ row: String, _ detail: String) {
    let good = #"{"id":1,"lat":1,"lon":2}"#
    let outcome = read(Self.list(good, row, good), .geoJSON)
    #expect(outcome.features.count == 2 && outcome.rejected == 1)
    #expect(outcome.problems.first?.pointer == "/1")
    #expect(outcome.problems.first?.detail.contains(detail) == true, "\(outcome.problems)")
    let lines = read("\(good)\n\(row)\n\(good)", .geoJSONSequence)
    #expect(lines.features == outcome.features)
    #expect(lines.problems.first?.pointer == "/lines/2")
  }

  @Test func `what is named is taken`() throws {
    var options = TableOptions()
    (options.longitude, options.latitude) = ("E", "N")
    let row = #"[{"lat":1,"lon":2,"E":3,"N":4,"id":5,"code":"c"}]"#
    let parsed = try ParsedFeatures(of: Array(row.utf8), idProperty: "code", table: options)
    parsed.batch.withRecord(at: 0) { record in
      #expect(record.coordinate == Coordinate(latitude: 4, longitude: 3))
      #expect(record.id.description == "c")
      #expect(text(record.properties) == #"{"lat":1,"lon":2,"id":5,"code":"c"}"#)
    }
  }

  @Test func `notes say what was assumed`() {
    #expect(read(#"[{"lat":1,"lng":2}]"#, .geoJSON).notes == [])
    #expect(
      read(#"[{"x":1,"y":2}]"#, .geoJSON).notes == [
        "longitudes are in the column \"x\", latitudes in \"y\""
      ])
    #expect(
      read(#"[{"p":{"lat":1,"lng":2}}]"#, .geoJSON).notes == ["points are in the column \"p\""])
  }

  @Test(arguments: [
    "[1]", "[{}]", #"[{"type":"Point","coordinates":[1,2]}]"#,
    #"[{"type":"FeatureCollection","features":[],"lat":1,"lon":2}]"#,
    #"[{"type":"feature","geometry":{"type":"Point","coordinates":[1,2]},"lat":1,"lon":2}]"#,
    #"[{"a":1}]"#,
    #"[{"lat":1}]"#, #"[{"lat":1,"lat":2,"lon":2}]"#, "\"lat\"",
    #"[{"a":{"lat":1,"lng":1},"b":{"lat":1,"lng":1}}]"#, #"[{"a":{"b":{"c":{"lat":1,"lng":1}}}}]"#,
  ])
  func `a list without coordinates is refused`(_ text: String) {
    let outcome = read(text, .geoJSON)
    #expect(outcome.refusedAt == "", "\(outcome)")
    #expect(outcome.features == [] && outcome.rejected == 0)
  }

  @Test func `a list of Features is one of those alone`() {
    let outcome = read(Self.list(feature(id: "1"), #"{"lat":1,"lon":2}"#, feature()), .geoJSON)
    #expect(outcome.features.count == 2)
    #expect(outcome.problems.map(\.detail) == ["/type is not \"Feature\""])
    // In a collection there is nothing else.
    let other = read(collection(#"{"lat":1,"lon":2}"#), .geoJSON)
    #expect(other.features == [] && other.rejected == 1)
  }

  // MARK: - Lists within a document

  private static let rows = #"{"id":1,"lat":1,"lng":2},{"id":2,"lat":3,"lng":4,"a":[{"lat":5}]}"#

  @Test(arguments: [
    "{\"stations\":[ROWS]}", " { \"a\" : 1.5 , \"data\":{\"en\":{\"x\": [ ROWS ] }},\"b\":[1,{}]} ",
    "\u{FEFF}{\"n\":null,\"c\":[\"[{\"],\"e\":[],\"l\\u0069st/~\":[ROWS],\"o\":{\"lat\":7}}",
    "{\"version\":0.6,\"elements\":[ROWS],\"type\":\"x\"}",
    #"{"center":{"lat":1,"lng":2},"places":[ROWS]}"#,
    #"{"A":{"id":1,"lat":1,"lng":2},"B":{"id":2,"lat":3,"lng":4,"a":[{"lat":5}]}}"#,
    #"{"data":{"x":[],"y":{"A":{"id":1,"lat":1,"lng":2},"B":{"id":2,"lat":3,"lng":4,"a":[{"lat":5}]}}}}"#,
  ])
  func `a list is found within a document`(_ text: String) {
    let document = text.replacing("ROWS", with: Self.rows)
    let expected = read("[\(Self.rows)]", .geoJSON).features
    // A document that is longer than a feature may be is read from its list on.
    for limit in [1 << 20, document.utf8.count, document.utf8.count - 1] {
      let outcome = read(document, .geoJSON, maximumLength: limit)
      #expect(outcome.error == nil && outcome.rejected == 0, "\(document): \(outcome)")
      #expect(outcome.features == expected, "\(document): \(outcome)")
    }
  }

  @Test func `names of places are their ids, if they have none`() {
    let outcome = read(
      #"{"d":{"A\u00e9/1":{"p":{"lat":1,"lng":2}},"B~2":{"p":{"lat":3,"lng":4}},"C":{"p":{}},"D":7}}"#,
      .geoJSON)
    #expect(outcome.features.map(\.id?.description) == ["Aé/1", "B~2"])
    #expect(outcome.problems.map(\.pointer) == ["/d/C", "/d/D"])
    #expect(outcome.notes.contains("places are in \"/d\""))
    let long =
      "{\"A\":{\"lat\":1,\"lng\":2},\"B\":{\"lat\":1,\"lng\":2},\""
      + String(repeating: "n", count: 200) + "/\":{\"lat\":1}}"
    #expect(
      read(long, .geoJSON).problems.map(\.pointer) == ["/" + String(repeating: "n", count: 100)])
  }

  @Test func `one place is a single feature`() {
    let row = #"{"id":"A","name":"B","lat":1,"lng":2}"#
    let outcome = read(row, .geoJSON)
    #expect(outcome.features == read("[\(row)]", .geoJSON).features && outcome.error == nil)
    #expect(read(#"{"lat":1,"lng":200}"#, .geoJSON).problems.map(\.pointer) == [""])
  }

  @Test(arguments: [
    // Two lists, in one document and where the second comes later.
    #"{"a":[{"lat":1,"lng":2}],"b":[{"lat":1,"lng":2}]}"#,
    // None, or too deep.
    "{}", #"{"a":[],"b":{"c":[1,2]}}"#, #"{"a":[[{"lat":1,"lng":2}]]}"#,
    #"{"a":{"b":{"c":{"d":{"e":[{"lat":1,"lng":2}]}}}}}"#, #"{"a":{"lat":1},"b":{"lng":1}}"#,
    // Values of one object that aren't places of one kind.
    #"{"a":{"b":{"lat":1,"lng":2}},"c":{"d":{"lat":1,"lng":2}}}"#,
    // Other formats.
    #"{"type":"Topology","objects":{"o":[{"lat":1,"lng":2}]}}"#,
    #"{"type":"Point","coordinates":[1,2],"x":[{"lat":1,"lng":2}]}"#,
    #"{"geometryType":"esriGeometryPoint","x":[{"lat":1,"lng":2}]}"#,
    #"{"type":"FeatureCollection","x":[{"lat":1,"lng":2}]}"#,
  ])
  func `a document without one list of places is refused`(_ text: String) {
    let outcome = read(text, .geoJSON)
    #expect(outcome.refusedAt != nil, "\(outcome)")
    #expect(outcome.features == [] && outcome.rejected == 0)
  }

  @Test func `what follows a long list is looked at, too`() {
    let list = Array(repeating: #"{"lat":1,"lng":2}"#, count: 30).joined(separator: ",")
    func outcome(_ rest: String) -> Outcome {
      read("{\"a\":[\(list)]\(rest)}", .geoJSON, maximumLength: 200)
    }
    #expect(outcome("").features.count == 30 && outcome("").error == nil)
    #expect(outcome(#","b":[1]"#).error == nil)
    #expect(outcome(#","b":{"c":[{"lat":1,"lng":2}]}"#).refusedAt == "/b/c")
    #expect(outcome(#","features":[]"#).refusedAt == "/features")
    for type in ["Feature", "FeatureCollection", "Point"] {
      guard case .tooLarge? = outcome(",\"type\":\"\(type)\"").error else {
        Issue.record("a \(type) is read as its list")
        continue
      }
    }
    #expect(outcome(",tru").isMalformed && outcome("]").isMalformed)
    guard case .tooLarge? = outcome(",\"b\":\"\(String(repeating: "x", count: 200))\"").error else {
      Issue.record("the rest has no bound")
      return
    }
  }
}
