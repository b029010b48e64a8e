import ClusterCore
import GeoFormats
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct GeoJSONTests {
  @Test func aCollection() throws {
    let outcome = read(
      collection(
        feature(
          "[-122.4194155,37.7749295,12.5,0]", properties: #"{ "b" : [ 1.50, "x y" ], "a":1E+2 }"#,
          id: "7"),
        feature(properties: "null", id: "\"a\""),
        #"{"type":"Feature","geometry":{"coordinates":[180,-90],"type":"Point"},"z":1}"#),
      .geoJSON)
    #expect(outcome.error == nil && outcome.rejected == 0)
    #expect(
      outcome.features == [
        ReadFeature(
          id: try FeatureID(integer: 7), isText: false,
          ordinates: [-122.4194155, 37.7749295, 12.5, 0],
          properties: #"{"b":[1.50,"x y"],"a":1E+2}"#),
        ReadFeature(
          id: try FeatureID(text: "a".utf8), isText: true, ordinates: [1, 2], properties: "{}"),
        ReadFeature(id: nil, isText: false, ordinates: [180, -90], properties: "{}"),
      ])
  }

  @Test(arguments: [
    ("null", "not an object"), (#"{"type":"feature"}"#, "/type is not \"Feature\""),
    (#"{"type":"Feature"}"#, "/geometry is missing or null"),
    (#"{"type":"Feature","geometry":null}"#, "/geometry is missing or null"),
    (#"{"type":"Feature","geometry":[1,2]}"#, "/geometry is not an object"),
    (
      #"{"type":"Feature","geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]}}"#,
      "/geometry is a LineString, and only points are stored; pincluster import --points centroid, or "
        + "ogr2ogr -dialect SQLite -sql \"SELECT ST_Centroid(geometry), NAMES FROM LAYER\", makes "
        + "points of lines and areas"
    ),
    (feature("null"), "/geometry/coordinates is not an array"),
    (feature("[1]"), "/geometry/coordinates has fewer than two numbers"),
    (feature("[\"1\",2]"), "/geometry/coordinates/0 is not a number"),
    (feature("[1,null]"), "/geometry/coordinates/1 is not a number"),
    (feature("[[1],2]"), "/geometry/coordinates/0 is not a number"),
    (feature("[1,2,[[[[]]]],\"a\"]"), "/geometry/coordinates/2 is not a number"),
    (feature("[180.0000001,2]"), "longitude 180.0000001 is beyond ±180"),
    (feature("[100,-91]"), "latitude -91.0 is beyond ±90"),
    (
      feature("[392000,5820000]"),
      "[392000.0, 5820000.0] is beyond ±360 degrees: projected coordinates, it seems; degrees of WGS 84 are needed, as "
        + "ogr2ogr -s_srs EPSG:N -t_srs EPSG:4326 makes them, N being the number of their system"
    ),
    (feature("[45,90.0000000001]"), "latitude 90.0000000001 is beyond ±90"),
    (feature("[45,-90.0005]"), "latitude -90.0005 is beyond ±90"),
    (
      feature("[45,90.4]"), "latitude 90.4 is beyond ±90: longitude and latitude look swapped"
    ),
    (feature("[37,-122]"), "latitude -122.0 is beyond ±90: longitude and latitude look swapped"),
    (feature(properties: "[]"), "/properties is not an object"),
    (feature(id: "1.5"), "the id is a number but not an integer"),
    (feature(id: "true"), "the id is neither a number nor a string"),
    (feature(id: "9007199254740992"), "the id is beyond ±(2^53−1)"),
    (feature(id: "\"\""), "the id is empty"),
    (feature(id: "\"a\\u0000\""), "the id holds a control character"),
    (feature(id: "\".\""), "the id is . or .., which in an address stands for another path"),
    (feature(id: "\"..\""), "the id is . or .., which in an address stands for another path"),
    (
      feature(id: "\"" + String(repeating: "é", count: 257) + "\""),
      "the id has more than 256 characters"
    ),
    (
      feature("[" + String(repeating: "1,", count: 257) + "1]"),
      "/geometry/coordinates has more than 257 numbers"
    ),
  ])
  func badFeatures(_ bad: String, _ detail: String) {
    let outcome = read(collection(feature(), bad, feature()), .geoJSON)
    #expect(outcome.error == nil)
    #expect(outcome.features.count == 2 && outcome.rejected == 1)
    #expect(outcome.problems == [FeatureProblem(pointer: "/features/1", detail: detail)])
    let line = read("\n" + bad, .geoJSONSequence)
    #expect(line.problems == [FeatureProblem(pointer: "/lines/2", detail: detail)])
    if bad.contains("Feature\"") {
      #expect(read(bad, .geoJSON).problems == [FeatureProblem(pointer: "", detail: detail)])
    } else {
      #expect(read(bad, .geoJSON).refusedAt != nil)
    }
  }

  @Test func ids() throws {
    func id(_ json: String) -> ReadFeature? { read(feature(id: json), .geoJSON).features.first }
    for json in ["17", "17.0", "1.7e1", "\"17\"", "\"\\u0031\\u0037\""] {
      #expect(id(json)?.id == (try FeatureID(integer: 17)))
      #expect(id(json)?.isText == json.hasPrefix("\""))
    }
    #expect(id("9007199254740991")?.id == (try FeatureID(integer: 9_007_199_254_740_991)))
    #expect(id("-0.0")?.id == (try FeatureID(integer: 0)))
    #expect(id("\"\(String(repeating: "é", count: 256))\"") != nil)
    #expect(id("null") != nil && id("null")?.id == nil)
  }

  @Test func idsFromAProperty() throws {
    let outcome = read(
      collection(
        feature(properties: #"{"k":"a","n":1}"#, id: "5"), feature(properties: "{}", id: "5"),
        feature(properties: #"{"k":null}"#, id: "true"), feature(properties: #"{"k":[]}"#),
        feature(properties: "null"), feature(properties: #"{"k":3}"#)),
      .geoJSON, idProperty: "k")
    #expect(outcome.features.map { $0.id?.description } == ["a", nil, nil, nil, "3"])
    #expect(outcome.features.first?.properties == #"{"k":"a","n":1}"#)
    #expect(outcome.problems.map(\.pointer) == ["/features/3"])
  }

  @Test(arguments: [
    "", "{", "[", collection() + "x", collection(feature()) + "]", "{\"features\":[1,2}",
    "{\"features\":[1]]",
    collection("{\"a\" 1}"), collection("1 2"), collection(feature(), ""),
    collection("", feature()), collection("{\"a\":tru \"b\":1}"), collection("{\"a\":'b'}"),
    collection("\u{FEFF}\u{FEFF}1"), collection("{\"a\":[1}]"),
    "{\"features\":[}]}", "{\"features\" [1]}",
    "{\"features\":[1],}", "{\"features\":[1] \"a\":1}", "{\"features\":[1]", "{\"features\":[\"a",
    "{\"features\":[{\"a", "nope",
    "{\"a\":1}{\"features\":[]}", "{\"features\":[" + String(repeating: "[", count: 100_000),
    String(repeating: "{\"features\":[", count: 50_000), String(repeating: "[", count: 100_000),
  ])
  func malformed(_ json: String) { #expect(read(json, .geoJSON).isMalformed) }

  @Test(arguments: [
    ("1", ""), ("[]", ""), ("{}", "/type"), (#"{"type":"Point","coordinates":[1,2]}"#, "/type"),
    (#"{"type":"FeatureCollection"}"#, "/features"), (#"{"features":[]}"#, "/type"),
    (#"{"type":"FeatureCollection","features":{}}"#, "/features"),
    (#"{"type":"FeatureCollection","features":"[]"}"#, "/features"),
    (#"{"type":"FeatureCollection","x":{"features":[]}}"#, "/features"),
    (#"[{"features":[]}]"#, ""),
    (#"{"type":"FeatureCollection","features":[],"features":[]}"#, "/features"),
    (#"{"type":"FeatureCollection","features":[],"features":1}"#, "/features"),
    (#"{"type":"Feature","features":[]}"#, "/features"),
  ])
  func notFeatures(_ json: String, _ pointer: String) {
    #expect(read(json, .geoJSON).refusedAt == pointer)
  }

  @Test func placesOfSyntaxErrors() {
    #expect(
      read(collection("1", "{\"a\":tru \"b\":1}"), .geoJSON).error
        == .malformed(detail: "/features/1: invalid literal", offset: 47))
    let tail = collection(feature(), feature()).dropLast() + ",\"a\":tru}"
    let place = tail.utf8.count - 4
    #expect(
      read(String(tail), .geoJSON).error == .malformed(detail: "invalid literal", offset: place))
  }

  @Test func problemsAreCapped() {
    let many = Array(repeating: "null", count: 150).joined(separator: ",")
    let outcome = read(collection(many), .geoJSON)
    #expect(outcome.rejected == 150 && outcome.problems.count == 100)
  }

  @Test func longFeaturesAreRefused() {
    let long = feature(properties: "{\"a\":\"" + String(repeating: "x", count: 17 << 20) + "\"}")
    let bytes = Array(collection(feature(), long).utf8)
    let members = read(bytes, .geoJSON)
    #expect(members.features.count == 1 && members.problems.map(\.pointer) == ["/features/1"])
    #expect(members == read(bytes, .geoJSON, cuts: [1 << 20, 10 << 20]))
    guard case .tooLarge? = read(Array(long.utf8), .geoJSON).error else {
      Issue.record("a long feature at the root is read")
      return
    }
    let lines = Array((feature() + "\n" + long + "\n" + feature()).utf8)
    let outcome = read(lines, .geoJSONSequence, cuts: [1 << 20, 10 << 20])
    #expect(outcome == read(lines, .geoJSONSequence))
    #expect(outcome.features.count == 2 && outcome.problems.map(\.pointer) == ["/lines/2"])
    let table = Array(("lon,lat\n1,2\n\"" + String(repeating: "\n", count: 17 << 20)).utf8)
    #expect(read(table, .csv).problems.map(\.pointer) == ["/lines/3"])
    #expect(read(table, .csv, cuts: [1 << 20, 10 << 20]) == read(table, .csv))
  }

  /// Properties are read back value by value, whatever white space surrounds them.
  @Test func propertiesRoundTrip() throws {
    var random = SeededGenerator(seed: 5)
    func space() -> String {
      String(
        (0..<Int.random(in: 0...3, using: &random)).map { _ in
          " \t\n\r".randomElement(using: &random) ?? " "
        })
    }
    func value(_ depth: Int) -> String {
      switch Int.random(in: 0..<(depth > 4 ? 5 : 7), using: &random) {
      case 0: return "null"
      case 1: return Bool.random(using: &random) ? "true" : "false"
      case 2:
        return ["1", "-0.0", "1.50", "123456789012345678901234567890", "1E5"].randomElement(
          using: &random) ?? "0"
      case 3: return #"" a\"\\ \u00e9 😀, [ ] { } : ""#
      case 4: return "\"\""
      case 5:
        return "[" + space()
          + (0..<Int.random(in: 0..<4, using: &random)).map { _ in
            space() + value(depth + 1) + space()
          }.joined(separator: ",") + "]"
      default:
        return "{" + space()
          + (0..<Int.random(in: 0..<4, using: &random)).map {
            #""k \#($0)""# + space() + ":" + space() + value(depth + 1) + space()
          }.joined(separator: ",") + "}"
      }
    }
    for _ in 0..<500 {
      let properties = "{\"a\":" + space() + value(0) + space() + "}"
      let stored = try #require(read(feature(properties: properties), .geoJSON).features.first)
      #expect(Tree(try parsed(stored.properties)) == Tree(try parsed(properties)))
      #expect(stored.properties.count <= properties.count)
      let selected = select(["a", "b"], stored.properties)
      #expect(selected == stored.properties)
    }
  }

  /// White space is dropped wherever it may occur, except in strings.
  @Test func whiteSpaceIsDropped() throws {
    let tokens = [
      "{", "\"a b\"", ":", "[", "1", ",", "{", "}", ",", "[", "]", ",", "true", ",", "\" \\\" \"",
      "]", ",",
      "\"c\"", ":", "{", "\"d\"", ":", "null", ",", "\"e\"", ":", "-1.5e3", "}", "}",
    ]
    for index in 0...tokens.count {
      for space in [" ", "\n", "\t", "\r"] {
        var spaced = tokens
        spaced.insert(space, at: index)
        let outcome = read(feature(properties: spaced.joined()), .geoJSON)
        #expect(outcome.features.first?.properties == tokens.joined())
      }
    }
  }

  private func select(_ names: [String], _ properties: String) -> String {
    var writer = JSONWriter()
    Array(properties.utf8).withUnsafeBytes {
      PropertyReader.writeSelected(
        names: PropertyNames(names.map { Array($0.utf8) }), from: $0, into: &writer)
    }
    return text(writer.bytes)
  }

  @Test(arguments: Seeds.each(1...3))
  func `what is selected is what a dictionary of the members has`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      // Names of all lengths, some of which stand there more than once, some with escapes.
      let alphabet = (0..<Int.random(in: 1...40, using: &random)).map {
        String(repeating: "k", count: $0 % 5) + String($0)
      }
      var (members, last): ([(text: String, name: String, value: Int)], [String: Int]) = ([], [:])
      for value in 0..<Int.random(in: 0...60, using: &random) {
        let name = alphabet.randomElement(using: &random) ?? ""
        let isEscaped = Bool.random(using: &random)
        let text = isEscaped ? name.replacing("k", with: "\\u006b") : name
        members.append((text, name, value))
        last[name] = value
      }
      let names = Set((0..<Int.random(in: 0...60, using: &random)).map { "k" + String($0 % 50) })
        .union(alphabet.prefix(Int.random(in: 0...40, using: &random)))
      func object(_ members: [(text: String, name: String, value: Int)]) -> String {
        "{" + members.map { "\"\($0.text)\":\($0.value)" }.joined(separator: ",") + "}"
      }
      let expected = members.filter { names.contains($0.name) && last[$0.name] == $0.value }
      #expect(select(Array(names), object(members)) == object(expected))
      #expect(PropertyNames(names.map { Array($0.utf8) }).count == names.count)
    }
  }

  @Test func selectedProperties() {
    let properties = #"{"a":1,"b":{"a":[2,"}"]},"\u0061":"x","c\"":null,"d":[],"e\\":-1.5e3}"#
    func value(_ name: String) -> String? {
      Array(properties.utf8).withUnsafeBytes {
        PropertyReader.value(of: Array(name.utf8), in: $0).map(text)
      }
    }
    #expect(value("a") == "\"x\"")
    #expect(value("b") == #"{"a":[2,"}"]}"#)
    #expect(value("c\"") == "null" && value("d") == "[]" && value("e\\") == "-1.5e3")
    #expect(
      value("") == nil && value("c") == nil && value("e\\\\") == nil && value("\\u0061") == nil)
    #expect(select(["e\\", "a", "nope"], properties) == #"{"\u0061":"x","e\\":-1.5e3}"#)
    #expect(select([], properties) == "{}" && select(["a"], "{}") == "{}")
    let escaped = Array(#""\ud83d\ude00\n\t\"\\\/\b\f\r\u00e9é""#.utf8)
    #expect(
      text(escaped.withUnsafeBytes { JSONScanner.unescape($0) }) == "😀\n\t\"\\/\u{8}\u{C}\réé")
    // On text that is not JSON, the results are arbitrary but within bounds.
    var random = SeededGenerator(seed: 6)
    for _ in 0..<5000 {
      var bytes = Array(properties.utf8.prefix(Int.random(in: 0...70, using: &random)))
      if !bytes.isEmpty {
        bytes[Int.random(in: bytes.indices, using: &random)] =
          Array("{}[]\",:\\u".utf8).randomElement(using: &random) ?? 0
      }
      bytes.withUnsafeBytes {
        _ = PropertyReader.value(of: Array("a".utf8), in: $0)
        _ = JSONScanner.unescape($0)
      }
    }
  }
}
