import TestSupport
import Testing

@testable import ClusterCore

@Suite(.timeLimit(.minutes(5))) struct ColumnCacheTests {
  private func name(_ number: Int) -> [UInt8] { Array("p\(number)".utf8) }

  @Test func `a column is built once, also by several threads`() throws {
    let collection = try IndexedCollection.of(
      (0..<500).map { TwinFeature($0, 0, 0, "{\"a\":\"b\"}") })
    let decoder = TestDecoder()
    #expect(!collection.hasColumn(ColumnName([97])))
    Threads.run(4) { number in
      if number % 2 == 0 {
        _ = collection.column(ColumnName([97]), decoder: decoder)
      } else {
        _ = collection.keyColumn(named: [97], decoder: decoder)
      }
    }
    #expect(decoder.asked.value == 500)
    #expect(collection.hasColumn(ColumnName([97])) && collection.hasKeyColumn(named: [97]))
    #expect(
      collection.column(ColumnName([97]), decoder: decoder)
        === collection.column(ColumnName([97]), decoder: decoder))
  }

  @Test func `the least recently used columns go first`() {
    let cache = IndexedCollection().columns  // 1 MiB
    func use(_ number: Int, bytes: Int) {
      _ = cache.value(for: CachedColumn.Key(name: name(number))) { _ in
        let codes = WritableArray<PropertyColumn.Code>(count: bytes / 4).fixed
        return .values(
          PropertyColumn(
            [ColumnChunk(count: codes.count, codes: codes, doubles: nil)], ByteDictionary()),
          TestDecoder())
      }
    }
    func held() -> [Int] { (0..<300).filter { cache.contains(CachedColumn.Key(name: name($0))) } }
    for number in 0..<6 { use(number, bytes: 160 << 10) }
    #expect(held() == [0, 1, 2, 3, 4, 5])
    use(0, bytes: 160 << 10)
    use(6, bytes: 160 << 10)
    #expect(held() == [0, 2, 3, 4, 5, 6])
    use(7, bytes: 1600 << 10)  // more than there is
    #expect(held() == [7])
    use(8, bytes: 1000)
    #expect(held() == [8])
    for number in 0..<300 { use(number, bytes: 0) }
    #expect(held().count == 256 && held().last == 299)
    // Nothing of what was evicted is counted any more.
    use(301, bytes: 600 << 10)
    #expect(held().count == 255)
  }

  @Test func `columns that nobody asks for are not carried on for ever`() throws {
    var collection = try IndexedCollection.of([TwinFeature(1, 0, 0, "{\"a\":1,\"b\":2}")])
    _ = collection.column(ColumnName([97]), decoder: TestDecoder())
    _ = collection.column(ColumnName([98]), decoder: TestDecoder())
    for round in 0..<1100 {
      collection = try collection.applying(
        .upsert(FeatureBatch([TwinFeature(2, Double(round), 0)])))
      _ = collection.column(ColumnName([98]), decoder: TestDecoder())
      if round == 900 { #expect(collection.hasColumn(ColumnName([97]))) }
    }
    #expect(!collection.hasColumn(ColumnName([97])) && collection.hasColumn(ColumnName([98])))
  }
}
