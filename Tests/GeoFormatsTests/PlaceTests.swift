import GeoFormats
import TestSupport
import Testing

/// Documents with places as services answer them: what is read of each, whole and byte by byte.
@Suite(.timeLimit(.minutes(5))) struct PlaceTests {
  /// What is expected of a document: its features, in which ids come first, and the pointers of its bad rows.
  private static let documents: [(text: String, features: [String], bad: [String])] = [
    // What is left of an object within.
    (
      #"[{"name":"x","location":{"lat":1,"lng":2,"city":"B","address":"A-Str. 1"}}]"#,
      [#"- [2.0, 1.0] {"name":"x","location":{"city":"B","address":"A-Str. 1"}}"#], []
    ),
    (
      #"{"records":[{"id":"rec1","fields":{"Name":"x","Latitude":1,"Longitude":2},"createdTime":"t"}]}"#,
      [#"rec1 [2.0, 1.0] {"fields":{"Name":"x"},"createdTime":"t"}"#], []
    ),
    (
      #"[{"ID":7,"AddressInfo":{"ID":8,"Title":"T","Latitude":1,"Longitude":2,"Tags":[ 1 ]}}]"#,
      [#"7 [2.0, 1.0] {"AddressInfo":{"ID":8,"Title":"T","Tags":[1]}}"#], []
    ),
    (
      #"{"status":"ok","data":{"name":"A","lat":1,"lon":2,"kind":"x"}}"#,
      [#"- [2.0, 1.0] {"status":"ok","data":{"name":"A","kind":"x"}}"#], []
    ),
    (
      #"[{"location":{"type":"Point","coordinates":[8.2,50.1],"address":"…","crs":null}}]"#,
      [#"- [8.2, 50.1] {"location":{"address":"…"}}"#], []
    ),
    (
      #"[{"location":{"type":"Point","coordinates":[8.2,50.1,3],"bbox":[]},"n":1}]"#,
      [#"- [8.2, 50.1, 3.0] {"n":1}"#], []
    ),
    // Lists of one, and envelopes.
    (#"{"EDDB":{"lat":52.3,"lon":13.5,"n":1}}"#, [#"EDDB [13.5, 52.3] {"n":1}"#], []),
    (#"{"EDDB":{"position":{"lat":1,"lon":2}}}"#, ["EDDB [2.0, 1.0] {}"], []),
    (#"{"stations":{"a":{"lat":1,"lon":2}}}"#, ["a [2.0, 1.0] {}"], []),
    (
      #"{"a":{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{}},"b":{"type":"Feature","id":7,"geometry":{"type":"Point","coordinates":[3,4]},"properties":{}}}"#,
      ["a [1.0, 2.0] {}", "7 [3.0, 4.0] {}"], []
    ),
    (#"[{"lat":1,"lng":2,"ID":7,"id":8}]"#, [#"8 [2.0, 1.0] {"ID":7}"#], []),
    (#"{"data":{"lat":1,"lon":2,"n":1}}"#, [#"- [2.0, 1.0] {"data":{"n":1}}"#], []),
    (#"{"position":{"lat":1,"lon":2}}"#, ["- [2.0, 1.0] {}"], []),
    (#"{"geometry":{"location":{"lat":1,"lon":2}}}"#, ["- [2.0, 1.0] {}"], []),
    // Rows of several kinds.
    (
      #"[{"n":1,"location":null},{"n":2,"location":{"lat":1,"lng":2}}]"#,
      [#"- [2.0, 1.0] {"n":2}"#], ["/0"]
    ),
    (#"{"items":[{"n":1},{"n":2,"lat":1,"lon":2}]}"#, [#"- [2.0, 1.0] {"n":2}"#], ["/items/0"]),
    (
      #"{"items":[null,7,{"id":2,"lat":1,"lon":2}]}"#, ["2 [2.0, 1.0] {}"],
      ["/items/0", "/items/1"]
    ),
    (
      #"{"a":{"lat":null,"lon":null},"b":{"lat":1,"lon":2},"c":{"lat":1,"lon":3}}"#,
      ["b [2.0, 1.0] {}", "c [3.0, 1.0] {}"], ["/a"]
    ),
    (
      #"[{"lat":1,"lng":2},{"latitude":3,"longitude":4},{"lat":null,"lng":"","latitude":5,"longitude":6}]"#,
      ["- [2.0, 1.0] {}", "- [4.0, 3.0] {}", #"- [6.0, 5.0] {"lat":null,"lng":""}"#], []
    ),
    (
      #"{"elements":[{"type":"node","id":1,"lat":5,"lon":6},{"type":"way","id":2,"center":{"lat":1,"lon":2},"bounds":{"minlat":1}}]}"#,
      [
        #"1 [6.0, 5.0] {"type":"node"}"#, #"way/2 [2.0, 1.0] {"type":"way","bounds":{"minlat":1}}"#,
      ], []
    ),
    // Of several ways, that with its own members goes first.
    (
      #"[{"p":{"lat":1,"lon":2}},{"lat":3,"lon":4},{"p":{"lat":5,"lon":6},"lat":7,"lon":8}]"#,
      ["- [2.0, 1.0] {}", "- [4.0, 3.0] {}", #"- [8.0, 7.0] {"p":{"lat":5,"lon":6}}"#], []
    ),
    (
      #"[{"lat":1,"lon":2},{"type":"Feature","id":3,"geometry":{"type":"Point","coordinates":[5,6]}}]"#,
      ["- [2.0, 1.0] {}", "3 [5.0, 6.0] {}"], []
    ),
    // Lists of numbers and texts.
    (
      #"[{"geo_point_2d":[52,13]},{"geo_point_2d":[53,14]}]"#,
      ["- [13.0, 52.0] {}", "- [14.0, 53.0] {}"], []
    ),
    (#"[{"geopoint":[52,13]}]"#, ["- [13.0, 52.0] {}"], []),
    (#"[{"geo_point":"52,13"}]"#, ["- [13.0, 52.0] {}"], []),
    (#"[{"coordinates":[8.2,50.1,30]}]"#, ["- [8.2, 50.1, 30.0] {}"], []),
    (
      #"[{"lat":"52,5","lng":"13,4"},{"lat":"52.5","lng":"13"}]"#,
      ["- [13.4, 52.5] {}", "- [13.0, 52.5] {}"], []
    ),
    // A place that holds places, and corners of views.
    (
      #"{"lat":52,"lon":13,"name":"Berlin","sights":[{"lat":1,"lon":2}]}"#,
      [#"- [13.0, 52.0] {"name":"Berlin","sights":[{"lat":1,"lon":2}]}"#], []
    ),
    (
      #"{"data":{"lat":52,"lon":13,"sights":[{"lat":1,"lon":2}]}}"#,
      [#"- [13.0, 52.0] {"data":{"sights":[{"lat":1,"lon":2}]}}"#], []
    ),
    (
      #"{"viewport":{"northeast":{"lat":1,"lng":2},"southwest":{"lat":1,"lng":2}},"a":[{"lat":1,"lng":2}]}"#,
      ["- [2.0, 1.0] {}"], []
    ),
    (
      #"{"bounds":{"_sw":{"lat":1,"lng":2},"_ne":{"lat":1,"lng":2}},"center":{"lat":3,"lng":4}}"#,
      [#"- [4.0, 3.0] {"bounds":{"_sw":{"lat":1,"lng":2},"_ne":{"lat":1,"lng":2}}}"#], []
    ),
    // Deeper.
    (
      #"{"results":[{"name":"G","geometry":{"location":{"lat":52.1,"lng":13.2},"viewport":{"northeast":{"lat":1,"lng":2},"southwest":{"lat":1,"lng":2}}},"place_id":"p"}],"status":"OK"}"#,
      [
        #"- [13.2, 52.1] {"name":"G","geometry":{"viewport":{"northeast":{"lat":1,"lng":2},"southwest":{"lat":1,"lng":2}}},"place_id":"p"}"#
      ], []
    ),
    (
      #"{"records":[{"fields":{"a":1,"geo_point_2d":[1,2]},"geometry":{"type":"Point","coordinates":[3,4]}}]}"#,
      [#"- [3.0, 4.0] {"fields":{"a":1,"geo_point_2d":[1,2]}}"#], []
    ),
    (#"{"items":[{"id":"a","geometry":{"x":7.1,"y":46.2}}]}"#, ["a [7.1, 46.2] {}"], []),
    (
      #"{"hits":{"total":1,"hits":[{"_id":"1","_source":{"name":"x","location":{"lat":1,"lon":2}}}]}}"#,
      [#"- [2.0, 1.0] {"_id":"1","_source":{"name":"x"}}"#], []
    ),
    (
      #"[{"_source":{"a":{"type":"Point","coordinates":[3,4,5],"b":1}}}]"#,
      [#"- [3.0, 4.0, 5.0] {"_source":{"a":{"b":1}}}"#], []
    ),
    (
      #"[{"a":{"b":{"location":{"type":"Point","coordinates":[3,4,5]}}}}]"#,
      ["- [3.0, 4.0, 5.0] {}"], []
    ),
    (
      #"[{"id":1,"address":{"street":"S","geo":{"lat":"-37.3","lng":"81.1"}}}]"#,
      [#"1 [81.1, -37.3] {"address":{"street":"S"}}"#], []
    ),
    // Of several objects that which says so by its name.
    (
      #"[{"depot":{"lat":1,"lon":2},"position":{"lat":3,"lon":4}}]"#,
      [#"- [4.0, 3.0] {"depot":{"lat":1,"lon":2}}"#], []
    ),
    (
      #"[{"location":"Berlin","area":{"type":"Polygon","coordinates":[]},"at":{"lat":3,"lon":4}}]"#,
      [#"- [4.0, 3.0] {"location":"Berlin","area":{"type":"Polygon","coordinates":[]}}"#], []
    ),
    // Nothing.
    (" { \"last_updated\":1,\"data\":{\"bikes\":[ ]}}", [], []),
  ]

  @Test func `places are read, and keep what else there is`() {
    for (text, features, bad) in Self.documents {
      let outcome = read(text, .geoJSON)
      #expect(outcome.error == nil, "\(text): \(outcome)")
      #expect(outcome.features.map(\.description) == features, "\(text): \(outcome)")
      #expect(outcome.problems.map(\.pointer) == bad, "\(text): \(outcome)")
      let bytes = Array(text.utf8)
      #expect(read(bytes, .geoJSON, cuts: Array(bytes.indices)) == outcome, "\(text)")
    }
  }

  @Test(arguments: [
    (#"{"a":{"lat":1,"lon":2,"id":"a"},"b":{"lat":1,"lon":2,"id":"b"}}"#, nil as String?),
    (#"{"a":{"lat":1,"lon":2,"id":7},"b":{"lat":1,"lon":2}}"#, "the names of places are left out"),
    (#"{"a":1,"d":{"x":[]}}"#, "the list \"/d/x\" is empty"),
    (#"[{"a":{"geo":{"lat":1,"lon":2}}}]"#, "points are in the column \"a/geo\""),
  ])
  func `notes tell what was assumed`(_ text: String, _ note: String?) {
    let outcome = read(text, .geoJSON)
    #expect(outcome.error == nil)
    #expect(
      outcome.notes.contains { $0.contains(note ?? " ") } == (note != nil), "\(outcome.notes)")
  }

  @Test(arguments: [
    (
      #"{"data":{"type":"FeatureCollection","crs":"EPSG:3857","features":[FEATURE]}}"#,
      "/data/crs", "EPSG:3857"
    ),
    (#"{"a":[{"lat":1,"lng":2}],"b":[{"lat":1,"lng":2}]}"#, "", "more than one list of places"),
    ("[]", "", "nor places"),
    (#"{"a":1,"b":[],"c":[1]}"#, "/type", "nor places with coordinates; lon and lat, or geometry"),
    (#"[{"a":1},{"b":{"c":2}}]"#, "", "/0: no coordinates are in it, only \"a\""),
    (#"[{"lat":null,"lon":1}]"#, "", "only \"lat\", \"lon\""),
    (#"[{"a":{"lat":1,"lng":1},"b":{"lat":1,"lng":1}}]"#, "", "\"a\", \"b\" all hold coordinates"),
    (#"{"n":1,"a":{"lat":1,"lng":1},"b":{"lat":1,"lng":1}}"#, "", "\"a\", \"b\" all hold"),
    (#"[{"geometry":{"type":"Point","coordinates":[1,2]},"properties":{}}]"#, "", "/type is not"),
    (#"[{"a":{"b":{"c":{"lat":1,"lng":1}}}}]"#, "", "no coordinates"),
    (#"{"sw":{"lat":1,"lng":2},"ne":{"lat":1,"lng":2}}"#, "", "all hold coordinates"),
  ])
  func `what has no places, or too many, is refused`(
    _ text: String, _ pointer: String, _ detail: String
  ) {
    let text = text.replacing("FEATURE", with: feature())
    let outcome = read(text, .geoJSON)
    guard case .notFeatures(pointer, let found)? = outcome.error else {
      Issue.record("\(text) is read: \(outcome)")
      return
    }
    #expect(found.contains(detail), "\(found)")
    #expect(outcome.rejected == 0)
    let bytes = Array(text.utf8)
    #expect(read(bytes, .geoJSON, cuts: Array(bytes.indices)) == outcome, "\(text)")
  }

  @Test(arguments: [
    "FEATURE\n\r\n FEATURE\n{\"type\":\"Feature\"}", "\u{FEFF}FEATURE\r\nFEATURE\n",
    "\u{1E}FEATURE\n\u{1E}FEATURE",
    "{\"lat\":1,\"lon\":2}\n{\"lat\":3,\"lon\":4}\n\n{}", "{\"a\":[{}]}\n FEATURE",
  ])
  func `features on lines are read where a document is due`(_ text: String) {
    let bytes = Array(text.replacing("FEATURE", with: feature(id: "1")).utf8)
    let outcome = read(bytes, .geoJSON)
    var expected = read(bytes, .geoJSONSequence)
    if bytes[0] != 0x1E || expected.notes.isEmpty {
      expected.notes.insert("each line is read by itself", at: 0)
    }
    #expect(outcome == expected && !outcome.features.isEmpty, "\(outcome)")
    for cut in bytes.indices { #expect(read(bytes, .geoJSON, cuts: [cut]) == outcome) }
  }

  @Test(arguments: ["FEATURE FEATURE", "COLLECTION\nCOLLECTION", "{\n}\n{}", "[]\n{}", "7\n{}"])
  func `other documents that follow each other are malformed`(_ text: String) {
    let whole = text.replacing("FEATURE", with: feature()).replacing(
      "COLLECTION", with: collection(feature()))
    #expect(read(whole, .geoJSON).isMalformed, "\(whole)")
  }

  @Test func `a list is named where there are several`() {
    let text = #"{"a":[{"lat":1,"lng":2}],"b":{"c":[{"lat":3,"lng":4}]}}"#
    for (layer, latitude) in [("/a", 1.0), ("a", 1), ("/b/c", 3), ("/b", nil), ("/", nil)] {
      var options = TableOptions()
      options.layer = layer
      let latitudes = Result {
        try ParsedFeatures(of: Array(text.utf8), table: options).batch.withRecord(at: 0) {
          $0.coordinate.latitude
        }
      }
      #expect((try? latitudes.get()) == latitude, "\(layer): \(latitudes)")
    }
  }

  @Test(
    arguments: [
      (["", "", "depot"], #"{"geo":"1,1","a":{"E":5,"N":6}}"#),
      (["", "", "Geo"], #"{"depot":{"lat":1,"lon":2},"a":{"E":5,"N":6}}"#),
      (["E", "n", ""], #"{"depot":{"lat":1,"lon":2},"geo":"1,1"}"#),
      (["E", "none", ""], nil), (["", "", "none"], nil),
    ] as [([String], String?)])
  func `what is named is found in objects within, too`(_ names: [String], _ properties: String?) {
    var options = TableOptions()
    let given = names.map { $0.isEmpty ? nil : $0 }
    (options.longitude, options.latitude, options.geometry) = (given[0], given[1], given[2])
    let row = #"[{"depot":{"lat":1,"lon":2},"geo":"1,1","a":{"E":5,"N":6}}]"#
    let found = Result {
      try ParsedFeatures(of: Array(row.utf8), table: options).batch.withRecord(at: 0) {
        text($0.properties)
      }
    }
    #expect((try? found.get()) == properties, "\(found)")
    if properties == nil { #expect("\(found)".contains("none"), "\(found)") }
  }

  @Test func `a bad row says what it lacks`() {
    let rows = #"{"lat":1,"lon":2},{"n":1},{"lat":null,"lon":1},{"lat":1,"lon":"x"}"#
    let outcome = read("[\(rows)]", .geoJSON)
    #expect(
      outcome.problems.map(\.detail) == [
        "no number is in \"lat\"", "no number is in \"lat\"", "\"x\" in \"lon\" is not a longitude",
      ])
    #expect(
      read(#"[{"p":{"lat":1,"lon":2}},{"n":1}]"#, .geoJSON).problems.map(\.detail) == [
        "no point is in \"p\""
      ])
    let lines = read("null\n{\"n\":1}\n{\"lat\":1,\"lon\":2}", .geoJSONSequence)
    #expect(lines.features.count == 1 && lines.problems.map(\.pointer) == ["/lines/1", "/lines/2"])
  }

  @Test func `rows of many kinds cost no more than their length`() {
    // Each is searched, until that is too much.
    let rows = (0..<6000).map { row in
      "{\((0..<20).map { "\"n\(row)_\($0)\":{\"a\":1}" }.joined(separator: ","))}"
    }
    let text = "[{\"lat\":1,\"lon\":2},\(rows.joined(separator: ",")),{\"lat\":1,\"lon\":2}]"
    let outcome = read(text, .geoJSON)
    #expect(outcome.features.count == 2 && outcome.rejected == rows.count)
    // Where places are found, more are looked for.
    let others = (0..<19).map { "\"k\($0)\":{\"a\":1}" }.joined(separator: ",")
    let own = (0..<6000).map { "{\(others),\"n\($0)\":{\"lat\":1,\"lon\":2}}" }
    #expect(read("[\(own.joined(separator: ","))]", .geoJSON).features.count == own.count)
    // Objects within each other are no longer than they are.
    let deep = String(repeating: "{\"a\":", count: 300) + "[]" + String(repeating: "}", count: 300)
    let wide = (0..<3000).map { "\"k\($0)\":\(deep)" }.joined(separator: ",")
    #expect(read("{\(wide)}", .geoJSON).features == [])
  }
}
