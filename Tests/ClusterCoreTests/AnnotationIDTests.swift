import TestSupport
import Testing

@testable import ClusterCore

/// The names of annotations.
@Suite(.timeLimit(.minutes(5))) struct AnnotationIDTests {
  /// A random id of any kind, with its limits among them.
  private func random(using generator: inout SeededGenerator) -> AnnotationID {
    switch generator.int(0...3) {
    case 0:
      let size = generator.pick([1, 60, 88, 100.5, 2048, 2048.0.nextDown, 1.0.nextUp, 0.1 + 59])
      let grid = CellGrid(zoom: generator.double(-10...30), cellSize: size)
      let last = grid.cellsPerWorld - 1
      let cell = CellPosition(
        column: generator.pick([0, last, generator.int(0...last)]),
        row: generator.pick([0, last, generator.int(0...last)]))
      let location = Location(
        column: generator.pick([0, Location.perWorld - 1, 4_000_000]),
        row: generator.pick([0, Location.perWorld - 1, 12]))
      return .cell(
        CellName(
          grid: grid, cellSize: size, cell: cell,
          location: generator.chance(0.5) ? location : nil,
          group: generator.chance(0.5) ? group(using: &generator) : nil))
    case 1:
      let limit = 9_007_199_254_740_991
      return AnnotationID(
        feature: FeatureID(known: generator.pick([0, -1, limit, -limit, generator.int(0...limit)])))
    default:
      let alphabet = Array("aZ0-_ .~/é\u{301}€漢\u{10FFFF}😀")
      let length = generator.pick([1, 2, 49, 50, 74, 75, 99, 100, 148, 149, 150, 200, 250])
      let text = String((0..<length).map { _ in generator.pick(alphabet) })
      return AnnotationID(feature: FeatureID(known: String(text.unicodeScalars.prefix(256))))
    }
  }

  private func group(using generator: inout SeededGenerator) -> GroupName {
    let lengths = [0, 1, 2, 44, 45, 46, 300]
    func bytes() -> [UInt8] {
      (0..<generator.pick(lengths)).map { _ in UInt8(generator.int(0...255)) }
    }
    return GroupName(property: bytes(), key: generator.chance(0.2) ? nil : bytes())
  }

  @Test(arguments: Seeds.each(81...82))
  func `an id is read back from its text, which is short and safe in URLs`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var texts: [String: AnnotationID] = [:]
    for _ in 0..<1500 {
      let id = random(using: &generator)
      let text = id.text
      #expect(AnnotationID(text: text) == id)
      #expect((1...AnnotationID.maximumLength).contains(text.utf8.count))
      #expect(text.utf8.allSatisfy(isUnreserved))
      if let other = texts.updateValue(id, forKey: text) { #expect(other == id) }
    }
  }

  private func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "-._~".utf8.contains(byte)
    }
  }

  @Test(arguments: Seeds.each(83...84))
  func `a mutated id is nothing or the id of something possible`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let features = Dataset.mixed.features(seed: seed, count: 300)
    let index = try FeatureIndex.of(features)
    let pieces = [
      "", "_", ".", "-", "0", "9", "g", "n", "t", "x", "e", "nan", "inf", "0x1", " ", "é", "\0",
      "99999999999999999999",
    ]
    var parsed = 0
    for _ in 0..<3000 {
      var text = Array(random(using: &generator).text.unicodeScalars)
      for _ in 0..<generator.int(1...3) {
        let start = generator.int(0...text.count)
        let end = min(text.count, start + generator.int(0...2))
        text.replaceSubrange(start..<end, with: generator.pick(pieces).unicodeScalars)
      }
      var garbage = String.UnicodeScalarView()
      garbage.append(contentsOf: text)
      guard let id = AnnotationID(text: String(garbage)) else { continue }
      parsed += 1
      #expect(id.text == String(garbage))
      // Whatever it names, looking it up must not trap.
      if let drilldown = Drilldown(id, in: index, settings: ClusterSettings()) {
        #expect(drilldown.annotation.count >= 1)
        _ = drilldown.expansion
        _ = try? drilldown.children(zoom: 24, limit: 10_000)
      }
    }
    #expect(parsed > 100)
  }

  @Test func `a text id of 256 characters of four bytes has a name of its own`() throws {
    let text = String(repeating: "\u{1F600}", count: 256)
    // They differ in the very last character only.
    let ids = (0..<4).map { i in
      FeatureID(known: String(text.dropLast()) + String(UnicodeScalar(UInt8(65 + i))))
    }
    let names = ids.map { AnnotationID(feature: $0).text }
    #expect(Set(names).count == ids.count)
    let features = ids.enumerated().map { i, id in
      TwinFeature(id: id, coordinate: Coordinate(latitude: Double(i), longitude: 3))
    }
    let index = try FeatureIndex.of(features)
    for (name, id) in zip(names, ids) {
      #expect(name.utf8.count <= 200)
      let parsed = try #require(AnnotationID(text: name))
      let drilldown = try #require(Drilldown(parsed, in: index, settings: ClusterSettings()))
      #expect(index.record(at: drilldown.annotation.first).id == id)
    }
    let absent = AnnotationID(feature: FeatureID(known: text))
    #expect(Drilldown(absent, in: index, settings: ClusterSettings()) == nil)
  }

  @Test(
    arguments: [
      "", "g", "n", "t", "x", "g1_60_0", "g1_60_0_0_", "g1_60_1_0", "g0_60_0_0", "g1_0.5_0_0",
      "g1_2049_0_0", "g01_60_0_0", "g1_60.0_0_0", "g+1_60_0_0", "g1_60_-1_0", "g1_60_0_0_1.8388608",
      "g9223372036854775808_60_0_0", "g274877906946_1_0_0", "n01", "n+1", "n-0",
      "n9007199254740992",
      "n1.0", "t=", "tMTc", "tMQ", "t_w", "tAA", "xAA.00", "x.", "G1_60_0_0", "g1_60_0_0 ",
    ])
  func `what is not exactly an id's text is nothing`(text: String) {
    #expect(AnnotationID(text: text) == nil)
  }

  @Test func `the hash is the same on every machine and for ever`() {
    #expect(StableHash128([UInt8]()).text == "e9d327596b869820601660c2a4272a37")
    #expect(StableHash128("pincluster".utf8).text == "866d9c6219ccaf54cab38744ce88c77c")
  }
}
