import GeoFormats
import TestSupport
import Testing

/// What isn't JSON within one feature costs that feature alone, as long as it is clear where it ends.
@Suite(.timeLimit(.minutes(5))) struct FaultyFeatureTests {
  /// Members of a feature that no parser of JSON takes, and what is said of them.
  private static let faults: [(bytes: [UInt8], detail: String)] =
    [
      (#""x":1E400"#, #"in "x": the number 1E400 is beyond what a double can hold"#),
      (#""x":-1e999"#, #"in "x": the number -1e999 is beyond what a double can hold"#),
      (#""x":NaN"#, #"in "x": NaN is not a value of JSON"#),
      (#""a":{"y":[1]},"x":[1,[-Infinity]]"#, #"in "x": -Infinity is not a value of JSON"#),
      (#""x":nul"#, #"in "x": nul is not a value of JSON"#),
      (#""x":01"#, #"in "x": 01 is not a value of JSON"#),
      (
        #""x":"\ud83d""#,
        #"in "x": a string holds the escape \ud83d, half of a character (a lone surrogate)"#
      ),
      (
        #""x":"\ude00\ud83d""#,
        #"in "x": a string holds the escape \ude00, half of a character (a lone surrogate)"#
      ),
      (
        #""x":"\ud83d\u0041""#,
        #"in "x": a string holds the escape \ud83d, half of a character (a lone surrogate)"#
      ),
      (
        #""x":"\ud83d\ude00 \ud83d x""#,
        #"in "x": a string holds the escape \ud83d, half of a character (a lone surrogate)"#
      ),
      (#""x":"\x""#, #"in "x": a string holds the escape \x, which JSON doesn't have"#),
      (#""x":"\u12g4""#, #"in "x": a string holds the escape \u12g4, which JSON doesn't have"#),
      ("\"x\":\"a\u{B}b\"", #"in "x": a string holds the control character U+000B unescaped"#),
      ("\"x\":\"},{\n\"", #"in "x": a string holds the control character U+000A unescaped"#),
    ].map { (Array($0.utf8), $1) } + [
      (
        Array(#""x":"M"#.utf8) + [0xFC] + Array(#"nchen""#.utf8),
        #"in "x": a string holds the byte 0xFC, which isn't UTF-8"#
      ),
      (
        Array(#""x":"é"#.utf8) + [0xC3] + Array("\"".utf8),
        #"in "x": a string holds the byte 0xC3, which isn't UTF-8"#
      ),
      (
        Array(#""x":1,"#.utf8), "not JSON: a value, comma, colon or bracket is missing or misplaced"
      ),
      (
        Array(#""x":"#.utf8) + Array(repeating: UInt8(ascii: "["), count: 2000)
          + Array(repeating: UInt8(ascii: "]"), count: 2000), "not JSON: nested too deeply"
      ),
    ]

  private static func faulty(_ member: [UInt8]) -> [UInt8] {
    Array(#"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"#.utf8)
      + member
      + Array("}}".utf8)
  }

  private static func collection(_ features: [[UInt8]]) -> [UInt8] {
    Array(#"{"type":"FeatureCollection","features":["#.utf8)
      + Array(features.joined(separator: Array(" , ".utf8)))
      + Array("]}".utf8)
  }

  @Test func `each kind is named`() {
    let good = Array(feature().utf8)
    for (member, detail) in Self.faults {
      let outcome = read(Self.collection([good, Self.faulty(member), good]), .geoJSON)
      #expect(outcome.error == nil && outcome.features.count == 2, "\(text(member))")
      #expect(outcome.problems == [FeatureProblem(pointer: "/features/1", detail: detail)])
    }
    let outcome = read(Self.collection([good, Array("NaN".utf8), good]), .geoJSON)
    #expect(
      outcome.problems == [
        FeatureProblem(pointer: "/features/1", detail: "NaN is not a value of JSON")
      ])
    let coordinates = read(collectionText(feature("[1E400,2]")), .geoJSON).problems
    #expect(
      coordinates == [
        FeatureProblem(
          pointer: "/features/0",
          detail: #"in "coordinates": the number 1E400 is beyond what a double can hold"#)
      ])
    // Lines say the same.
    for (member, detail) in Self.faults where !member.contains(0x0A) {
      let lines = good + [0x0A] + Self.faulty(member) + [0x0A] + good
      #expect(
        read(lines, .geoJSONSequence).problems == [
          FeatureProblem(pointer: "/lines/2", detail: detail)
        ])
    }
  }

  private func collectionText(_ feature: String) -> String { GeoFormatsTests.collection(feature) }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `random collections keep what is good`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var (documents, good, bad): ([[UInt8]], [String], [String]) = ([], [], [])
      for index in 0..<Int.random(in: 0...30, using: &random) {
        if Int.random(in: 0..<4, using: &random) == 0,
          let fault = Self.faults.randomElement(using: &random)
        {
          documents.append(Self.faulty(fault.bytes))
          bad.append("/features/\(index)")
        } else {
          documents.append(Array(feature(properties: #"{"t":"} ] , \" é","n":\#(index)}"#).utf8))
          good.append(#"{"t":"} ] , \" é","n":\#(index)}"#)
        }
      }
      let bytes = Self.collection(documents)
      let cuts = (0..<3).map { _ in Int.random(in: 0...bytes.count, using: &random) }.sorted()
      let outcome = read(bytes, .geoJSON, cuts: cuts)
      #expect(outcome.error == nil)
      #expect(outcome.features.map(\.properties) == good && outcome.problems.map(\.pointer) == bad)
    }
  }

  /// A mark too few may make the rest look like something else. It never costs a feature that isn't reported.
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `no feature is lost in silence`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let features = (0..<6).map {
      feature("[1,\($0)]", properties: #"{"a":"b, c","d":["e",{"f":"g: \"h\""}],"n":\#($0)}"#)
    }
    let bytes = Array(
      GeoFormatsTests.collection(
        features[0], features[1], features[2], features[3], features[4], features[5]
      ).utf8)
    let marks = bytes.indices.filter { "\"{}[],:\\".utf8.contains(bytes[$0]) }
    let all = read(bytes, .geoJSON).features.map(\.properties)
    for round in 0..<3000 {
      var less = bytes
      let gone = Set(
        (0..<Int.random(in: 1...3, using: &random)).map { _ in
          // One mark each in turn, then some at random.
          seed == 1 && round < marks.count ? marks[round] : marks.randomElement(using: &random) ?? 0
        })
      for index in gone.sorted().reversed() { less.remove(at: index) }
      let outcome = read(less, .geoJSON)
      guard outcome.error == nil else { continue }
      #expect(outcome.features.count + outcome.rejected == all.count, "\(text(less))")
    }
  }

  @Test func `many bad features cost no more than their length`() {
    // Each of a mebibyte would be looked at a mebibyte at a time.
    let long = Self.faulty(
      Array(#""x":[NaN"#.utf8) + Array(repeating: Array(",1".utf8), count: 100_000).joined() + [
        0x5D
      ])
    let outcome = read(Self.collection(Array(repeating: long, count: 50)), .geoJSON)
    #expect(outcome.error == nil && outcome.rejected == 50)
    let short = Array(repeating: Array("NaN".utf8), count: 200_000)
    #expect(read(Self.collection(short), .geoJSON).rejected == 200_000)
  }
}
