import TestSupport
import Testing

@testable import ClusterCore

/// Columns against what is in the records.
@Suite(.timeLimit(.minutes(5))) struct ColumnTests {
  private let names = ["p", "q", "r", "n", "s", "absent"]

  private func expectColumns(
    of collection: IndexedCollection, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let index = collection.index
    for name in names {
      let column = collection.testColumn(name)
      let expected = index.ordinals.map { OwnedValue(name, at: $0, of: index) }
      #expect(column.owned(index) == expected, "\(name)", sourceLocation: sourceLocation)
      for (ordinal, value) in zip(index.ordinals, expected) {
        var number = Double.nan
        if case .number(let value) = value { number = value }
        let held = column.number(at: ordinal)
        #expect(held == number || (held.isNaN && number.isNaN), sourceLocation: sourceLocation)
      }
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `columns hold what records hold`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    expectColumns(of: try IndexedCollection.of(generator.propertyFeatures(400)))
    expectColumns(of: IndexedCollection())
  }

  @Test func `memory is taken only for what occurs`() throws {
    let features = (0..<50_000).map { TwinFeature($0, 0, 0, "{\"n\":\($0),\"s\":\"\($0 % 9)\"}") }
    let index = try FeatureIndex.of(features, blockCapacity: 1024)
    let (none, numbers, strings) =
      (index.testColumn("none"), index.testColumn("n"), index.testColumn("s"))
    #expect(none.isAllMissing && none.byteCount < 10_000)
    #expect(numbers.hasNumbers && !numbers.hasCodes && numbers.byteCount < 8 * 50_000 + 10_000)
    #expect(!strings.hasNumbers && strings.byteCount < 4 * 50_000 + 10_000)
    #expect(strings.entryCount == 9)
    #expect(numbers.code(at: 7) == PropertyColumn.number)
    #expect(KeyColumn(none).byteCount < 10_000 && KeyColumn(none).keys.count == 1)
  }

  @Test(arguments: [11, 12, 13, 14] as [UInt64])
  func `columns of a changed index are those of a fresh one`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var collection = IndexedCollection(FeatureIndex(blockCapacity: seed % 2 == 0 ? 8 : 1024))
    for step in 0..<40 {
      // Now and then all are asked for, now and then none.
      if step % 3 != 2 { for name in names { _ = collection.testColumn(name) } }
      let before = names.map { collection.testColumn($0).owned(collection.index) }
      let earlier = collection
      if generator.chance(0.3) {
        collection = try collection.applying(.remove([FeatureID(known: generator.int(0...120))]))
      } else {
        let batch = (0..<generator.pick([1, 2, 30])).map { _ in
          generator.propertyFeature(id: generator.int(0...120))
        }
        collection = try collection.applying(.upsert(FeatureBatch(batch)))
      }
      #expect(names.allSatisfy { collection.hasColumn(ColumnName(Array($0.utf8))) })
      expectColumns(of: collection)
      #expect(names.map { earlier.testColumn($0).owned(earlier.index) } == before)
      for name in names {
        expectKeys(
          KeyColumn(collection.testColumn(name)), of: collection.testColumn(name), collection.index)
        let carried = collection.keyColumn(named: Array(name.utf8), decoder: TestDecoder())
        expectKeys(
          carried, of: collection.testColumn(name), collection.index, mayHoldDeadKeys: true)
      }
    }
  }

  @Test func `only new features are read when a column is carried over`() throws {
    let decoder = TestDecoder()
    var collection = try IndexedCollection.of(
      (0..<100).map { TwinFeature($0, Double($0), 0, "{\"n\":1}") })
    _ = collection.column(ColumnName([110]), decoder: decoder)
    #expect(decoder.asked.value == 100)
    collection = try collection.applying(.upsert(FeatureBatch([TwinFeature(5, 9, 9, "{\"n\":2}")])))
    collection = try collection.applying(.remove([FeatureID(known: 7)]))
    #expect(collection.column(ColumnName([110]), decoder: decoder).count == 99)
    #expect(decoder.asked.value == 101)
  }

  @Test func `strings that are in no feature any more are given up`() throws {
    var collection = IndexedCollection()
    var largest = 0
    let padding = String(repeating: "x", count: 100)
    for round in 0..<12 {
      let features = (0..<2000).map {
        TwinFeature($0, 0, 0, "{\"s\":\"\(padding)\(round) \($0)\"}")
      }
      collection = try collection.applying(.upsert(FeatureBatch(features)))
      let column = collection.testColumn("s")
      largest = max(largest, column.entryCount)
      #expect(
        column.owned(collection.index)
          == (0..<2000).map { OwnedValue("s", at: $0, of: collection.index) })
    }
    #expect(largest <= 4000)
  }

  /// Keys as plainly as they can be found.
  private func expectKeys(
    _ keys: KeyColumn, of column: PropertyColumn, _ index: FeatureIndex,
    mayHoldDeadKeys: Bool = false
  ) {
    let texts = column.owned(index).map { value -> [UInt8]? in
      switch value {
      case .missing: nil
      case .bool(let value): Array(value ? "true".utf8 : "false".utf8)
      case .number(let value): CanonicalNumber.text(value)
      case .string(let bytes), .other(let bytes): bytes
      }
    }
    let sorted = Set(texts.compactMap { $0 }).sorted { $0.lexicographicallyPrecedes($1) }
    let all = Array(keys.keys.dropFirst())
    #expect(keys.keys[0] == Array("null".utf8))
    if mayHoldDeadKeys {
      #expect(Set(all).isSuperset(of: sorted) && Set(all).count == all.count)
      #expect(zip(all, all.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
    } else {
      #expect(all == sorted)
    }
    for (ordinal, text) in zip(index.ordinals, texts) {
      let rank = keys.rank(at: ordinal)
      #expect(text == nil ? rank == 0 : rank > 0 && keys.keys[Int(rank)] == text)
    }
    for key in sorted { #expect(keys.rank(of: key).map { keys.keys[Int($0)] } == key) }
    #expect(keys.rank(of: Array("no such key".utf8)) == nil)
  }

  @Test func `numbers and strings share keys, null and its name don't`() throws {
    let values = [
      "5", "\"5\"", "5.0", "null", "\"null\"", "[1]", "\"[1]\"", "true", "\"true\"", "-0.0", "0",
    ]
    let features = values.enumerated().map { TwinFeature($0, Double($0), 0, "{\"v\":\($1)}") }
    let collection = try IndexedCollection.of(features + [TwinFeature(99, 0, 0)])
    let keys = collection.keyColumn(named: [118], decoder: TestDecoder())
    #expect(
      keys.keys.map { String(decoding: $0, as: UTF8.self) }
        == ["null", "0", "5", "[1]", "null", "true"])
    let ranks = (values.indices + [99]).map { id in
      collection.index.ordinal(of: FeatureID(known: id)).map { keys.rank(at: $0) }
    }
    #expect(ranks == [2, 2, 2, 0, 4, 3, 3, 5, 5, 1, 1, 0])
    #expect(keys.rank(of: Array("null".utf8)) == 4)
    #expect(collection.hasKeyColumn(named: [118]) && !collection.hasKeyColumn(named: [119]))
  }

  @Test(
    arguments: [
      (0, "0"), (-0.0, "0"), (1, "1"), (-1, "-1"), (0.1, "0.1"), (-1.5, "-1.5"), (100, "100"),
      (123_456.789, "123456.789"), (1e20, "100000000000000000000"), (1e21, "1e+21"),
      (1.5e21, "1.5e+21"), (123_456_789_012_345_683_968, "123456789012345680000"),
      (1e-6, "0.000001"), (1.5e-6, "0.0000015"), (1e-7, "1e-7"), (1.25e-7, "1.25e-7"),
      (.leastNonzeroMagnitude, "5e-324"), (-Double.leastNonzeroMagnitude, "-5e-324"),
      (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
      (9_007_199_254_740_991, "9007199254740991"), (9_007_199_254_740_992, "9007199254740992"),
      (9_007_199_254_740_994, "9007199254740994"), (0.1 + 0.2, "0.30000000000000004"),
      (333_333_333.333_333_29, "333333333.3333333"), (1e16, "10000000000000000"),
      (4.35, "4.35"), (1e23, "1e+23"), (9.5367431640625e-7, "9.5367431640625e-7"),
      (0.00001, "0.00001"), (12e-5, "0.00012"), (-1e-10, "-1e-10"), (2e-3, "0.002"),
      (295_147_905_179_352_825_856, "295147905179352830000"),
    ] as [(Double, String)])
  func `canonical numbers`(_ value: Double, _ expected: String) {
    #expect(String(decoding: CanonicalNumber.text(value), as: UTF8.self) == expected)
  }

  @Test func `canonical numbers read back`() {
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<20_000 {
      let value = Double(bitPattern: generator.next())
      guard value.isFinite else { continue }
      let text = String(decoding: CanonicalNumber.text(value), as: UTF8.self)
      #expect(Double(text) == value)
      let isPlain = value.magnitude >= 1e-6 && value.magnitude < 1e21
      #expect(text.contains("e") != isPlain || value == 0)
    }
  }
}
