import Testing
import Threading

@testable import GeoFormats

/// Reading that must stop, and bodies that make much work of few bytes.
@Suite(.timeLimit(.minutes(1))) struct CancelledReadingTests {
  private static let features = #"{"type":"FeatureCollection","features":["#

  /// Beginnings of bodies, and a few bytes that repeat without an end: bad features, good ones, and no features at all.
  private static let endless: [(format: FeatureFormat, head: String, part: String)] = [
    (.geoJSON, features, "0,"), (.geoJSON, features, "{},"), (.geoJSON, features, "NaN,"),
    (.geoJSON, features, feature() + ","), (.geoJSON, features, " "), (.geoJSON, features, "["),
    (.geoJSON, "", " "), (.geoJSON, "[", " "), (.geoJSON, "[", "{\"lat\":1,\"lon\":2},"),
    (.geoJSON, "[{\"lat\":1,\"lon\":2},", "0,"), (.geoJSONSequence, "", "{\"x\":1,\"y\":2}\n"),
    (.geoJSONSequence, "", "{}\n"), (.geoJSONSequence, "\u{1E}", "{}\u{1E}"),
    (.csv, "lon,lat\n", "x,\n"), (.csv, "lon,lat\n", "1,2\n"), (.csv, "lon,lat\n", "\n"),
    (.csv, "wkt,a\n", "P,\n"), (.csv, "lon,lat\n\"", "x\n"), (.csv, "", ",\n"),
  ]

  @Test func `a reader that must stop ends early, and nothing comes of it`() throws {
    for (format, head, part) in CancelledReadingTests.endless {
      let bytes = Array((head + String(repeating: part, count: 1_200_000 / part.utf8.count)).utf8)
      func expectEnd(_ read: () throws -> Void) {
        let looks = Locked(0)
        let cancellation = Cancellation(mustStop: {
          looks.withLock { looks in
            looks += 1
            return looks > 10
          }
        })
        #expect(throws: FormatError.cancelled, "\(head)\(part)") { try cancellation.run(read) }
        #expect(looks.withLock { $0 } == 11, "\(head)\(part)")
      }
      var reader = FeatureReader(isSequence: format == .geoJSONSequence)
      if format == .csv {
        var survey = TableSurvey()
        expectEnd { try survey.read(bytes) }
        guard !head.isEmpty else { continue }
        survey = TableSurvey()
        try survey.read(Array((head + part).utf8))
        reader = FeatureReader(table: try survey.finish(isWhole: false, isFinal: true))
      }
      var parsed = ParsedFeatures()
      expectEnd { try reader.read(bytes, into: &parsed) }
      #expect(parsed.batch.count + parsed.rejected < 20_000, "\(head)\(part)")
      #expect(throws: FormatError.cancelled) { try reader.finish(into: &parsed) }
    }
  }

  @Test func `a table whose time is up yields nothing`() throws {
    for (format, head, part) in CancelledReadingTests.endless where format == .csv {
      let bytes = Array((head + String(repeating: part, count: 1_200_000 / part.utf8.count)).utf8)
      let count: Int? = try Cancellation.run(atMost: 1) {
        try ParsedFeatures(of: bytes, .csv).batch.count
      }
      #expect(count == nil, "\(head)\(part)")
    }
  }

  // MARK: Many bad features

  /// Bodies of bad features only, each of another kind, and what is between two of them.
  private static let bad: [(format: FeatureFormat, head: String, parts: [String], end: String)] = [
    (
      .geoJSON, features + "0",
      [
        "0", "{}", "NaN", "[1e999]", feature("[1]"), feature("[181,2]"), feature("[1,100]"),
        feature("[\"\",2]"), feature(properties: "1"), feature(id: "1.5"),
        #"{"type":"Feature","geometry":{"type":"Polygon"}}"#,
        #"{"type":"Feature","geometry":{"type":"MultiPoint","coordinates":[]}}"#,
        #"{"type":"Feature","crs":"EPSG:25832"}"#,
      ].map { "," + $0 }, "]}"
    ),
    (
      .geoJSONSequence, "0\n", ["{]", "{}", "\"", feature("[1,91]")].map { $0 + "\n" },
      feature() + "\n"
    ),
    (
      .csv, "lon,lat,id\n",
      ["x,,", "1", "\"a\"b,1,2", "\"1\n\"2,1,2", "181,2,3", "999,2,3", "1,100,3", "1,2,\u{1}"].map {
        $0 + "\n"
      }, "1,2,3\n"
    ),
    (
      .csv, "wkt,a\n",
      ["P,", "POLYGON((1 2)),", "SRID=25832;POINT(1 2),", "0102000000000000000000,", "{},"].map {
        $0 + "\n"
      }, "POINT(1 2),\n"
    ),
  ]

  @Test func `of many bad features the first have reasons, and all are counted`() {
    for (format, head, parts, end) in CancelledReadingTests.bad {
      for part in parts {
        let outcome = read(head + String(repeating: part, count: 300) + end, format)
        #expect(outcome.error == nil && outcome.rejected >= 300, "\(part)")
        #expect(outcome.problems.count == ParsedFeatures.maximumProblems, "\(part)")
        #expect(outcome.problems.allSatisfy { !$0.detail.isEmpty }, "\(part)")
        #expect(outcome.features.count == (format == .geoJSON ? 0 : 1), "\(part)")
      }
    }
  }

  @Test func `no more reasons are made than are kept`() {
    var parsed = ParsedFeatures()
    var made = 0
    func reason() -> String {
      made += 1
      return "bad"
    }
    for _ in 0..<1000 {
      let refusal = FeatureRefusal(if: parsed.keepsReasons, reason())
      parsed.reject(pointer: reason(), detail: refusal.detail)
    }
    #expect(made == 2 * ParsedFeatures.maximumProblems && parsed.rejected == 1000)
  }

  // MARK: Many columns

  private func properties(_ table: String, text names: [String]) throws -> [String] {
    var options = TableOptions()
    options.text = names
    let parsed = try ParsedFeatures(of: Array(table.utf8), .csv, table: options)
    return (0..<parsed.batch.count).map { index in
      parsed.batch.withRecord(at: index) { text($0.properties) }
    }
  }

  @Test func `a column is named exactly, or but for capitals`() throws {
    let table = "lon,lat,A,a,b,B\n1,2,3,4,5,6\n"
    for (name, expected) in [
      ("A", #"{"A":"3","a":4,"b":5,"B":6}"#), ("a", #"{"A":3,"a":"4","b":5,"B":6}"#),
      ("B", #"{"A":3,"a":4,"b":5,"B":"6"}"#),
    ] { #expect(try properties(table, text: [name]) == [expected]) }
    let other = "lon,lat,Ab,aB\n1,2,3,4\n"
    #expect(try properties(other, text: ["AB"]) == [#"{"Ab":"3","aB":4}"#])
    #expect(throws: FormatError.self) { try properties(other, text: ["A"]) }
  }

  /// Comparing each name with each column would take longer than the suite may.
  @Test func `many names of many columns are found at once`() throws {
    let columns = 16_380
    let names = (0..<columns).map { "Name\($0)" }
    let table =
      "lon,lat," + names.joined(separator: ",") + "\n1,2"
      + String(repeating: ",", count: columns) + "7\n"
    let texts = (0..<10_000).map { "NAME\(columns - 1 - $0)" }
    #expect(try properties(table, text: texts) == [#"{"Name16379":"7"}"#])
  }
}
