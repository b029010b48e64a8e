import Glibc
import TestSupport
import Testing

@testable import ClusterCore

/// Sections of an index in memory, without the checksums that a file has.
///
/// `@unchecked Sendable`: written before it is read, by one thread.
private final class MemorySource: IndexFileSource, @unchecked Sendable {
  var sections: [IndexFileSection] = []
  private var memory: [UnsafeMutableRawBufferPointer] = []

  init(_ index: FeatureIndex) throws {
    try index.encode { section, content in append(section, content) }
  }

  init(copying other: MemorySource) {
    for (section, bytes) in zip(other.sections, other.memory) {
      append(section, UnsafeRawBufferPointer(bytes))
    }
  }

  deinit { for bytes in memory { bytes.deallocate() } }

  private func append(_ section: IndexFileSection, _ content: UnsafeRawBufferPointer) {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: content.count, alignment: 8)
    bytes.copyMemory(from: content)
    sections.append(section)
    memory.append(bytes)
  }

  var bytes: [[UInt8]] { memory.map { Array($0) } }

  func size(of section: Int) -> Int { memory[section].count }

  func flip(_ bit: Int, at offset: Int, of section: Int) {
    memory[section][offset] ^= 1 << UInt8(bit)
  }

  /// Exchanges a record with the next one. All have the same size.
  func exchange(_ number: Int) {
    func record(_ number: Int) -> UnsafeMutableRawBufferPointer {
      let each = sections[0].featureCount
      let size = sections[0].byteCount / each
      return UnsafeMutableRawBufferPointer(
        rebasing: memory[number / each][number % each * size..<(number % each + 1) * size])
    }
    let first = [UInt8](record(number))
    record(number).copyMemory(from: UnsafeRawBufferPointer(record(number + 1)))
    record(number + 1).copyBytes(from: first)
  }

  func isIntact(_ section: Int) -> Bool { sections[section].byteCount <= memory[section].count }

  func address(of section: Int) -> UnsafeRawPointer {
    guard let base = memory[section].baseAddress else { fatalError("an empty section") }
    return UnsafeRawPointer(base)
  }
}

/// Indexes that are stored and read back.
@Suite(.timeLimit(.minutes(5))) struct IndexFileTests {
  /// Features with every part that a record may have.
  private static func features(
    _ count: Int, seed: UInt64, large: Bool = false
  ) -> (FeatureBatch, [FeatureID]) {
    var generator = SeededGenerator(seed: seed)
    let pool = Dataset.mixed.features(seed: seed, count: count)
    var batch = FeatureBatch()
    for (number, feature) in pool.enumerated() {
      var further: [Double] = []
      if generator.chance(0.3) {
        further = (0..<generator.int(1...3)).map { _ in generator.double(-9...9) }
      }
      let isLarge = large && number % 97 == 5
      let text = String(repeating: "x", count: isLarge ? (1 << 20) + number : generator.int(0...90))
      let expires = generator.chance(0.2) ? Int64(generator.int(1...1000)) : nil
      further.withUnsafeBufferPointer { further in
        var properties = "{\"t\":\"\(text)\"}"
        properties.withUTF8 { properties in
          batch.append(
            id: feature.id, coordinate: feature.coordinate, further: further,
            properties: UnsafeRawBufferPointer(properties), expires: expires)
        }
      }
    }
    return (batch, pool.map(\.id))
  }

  private static func index(
    _ count: Int, seed: UInt64, capacity: Int, large: Bool = false
  ) throws -> FeatureIndex {
    let (batch, ids) = features(count, seed: seed, large: large)
    var generator = SeededGenerator(seed: seed + 1)
    let index = try FeatureIndex(blockCapacity: capacity).applying(.upsert(batch))
    // What is gone leaves holes in the arena.
    return try index.applying(.remove(ids.filter { _ in generator.chance(0.2) }))
  }

  private func bytes(of record: FeatureRecord) -> [UInt8] {
    Array(UnsafeRawBufferPointer(start: record.base, count: record.size))
  }

  private func ordinals(of index: FeatureIndex) -> [Int] {
    var ordinals: [Int] = []
    index.points.forEachRun { ordinals += $0 }
    return ordinals
  }

  private func expectSame(_ a: FeatureIndex, _ b: FeatureIndex) {
    let (x, y) = (ordinals(of: a), ordinals(of: b))
    #expect(a.count == b.count && x.count == y.count)
    for (p, q) in zip(x, y) {
      #expect(bytes(of: a.record(at: p)) == bytes(of: b.record(at: q)))
      #expect(a.position(at: p) == b.position(at: q))
      #expect(b.ordinal(of: a.record(at: p).id) == q)
    }
    #expect(a.nextExpiry == b.nextExpiry)
    #expect(a.expired(at: 500) == b.expired(at: 500))
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func `what is read back is what was stored`(seed: UInt64) throws {
    let capacity = [4, 7, 30, 1024][Int(seed % 4)]
    let index = try IndexFileTests.index(
      [0, 1, 700, 3000, 300, 65][Int(seed - 1)], seed: seed, capacity: capacity, large: seed == 5)
    let source = try MemorySource(index)
    let read = try #require(IndexFileDecoder(source)?.decode(blockCapacity: capacity))
    expectSame(index, read)
    // It goes on from there, and what it stores is the same.
    let (batch, ids) = IndexFileTests.features(90, seed: seed + 100)
    let changes: [FeatureChange] = [.upsert(batch), .remove(Array(ids.prefix(9)))]
    let (after, same) = (try index.applying(changes).index, try read.applying(changes).index)
    expectSame(after, same)
    #expect(try MemorySource(after).bytes == MemorySource(same).bytes)
  }

  @Test func `memory for more features than can be is refused`() {
    #expect(FeatureIndexBuilder.withMemory(for: 1_000_000) { true } == true)
    #expect(FeatureIndexBuilder.withMemory(for: FeatureIndex.maximumCount + 1) { true } == nil)
  }

  @Test func `records that are out of order are refused`() throws {
    var batch = FeatureBatch()
    var properties = "{\"t\":\"\(String(repeating: "x", count: 8000))\"}"
    for number in 0..<200 {
      properties.withUTF8 { properties in
        // Pairs have a coordinate in common, so that their ids decide.
        batch.append(
          id: FeatureID(known: number),
          coordinate: Coordinate(latitude: 1, longitude: Double(number / 2)),
          further: .init(start: nil, count: 0),
          properties: UnsafeRawBufferPointer(properties), expires: nil)
      }
    }
    let source = try MemorySource(FeatureIndex(blockCapacity: 30).applying(.upsert(batch)))
    #expect(IndexFileDecoder(source)?.decode(blockCapacity: 30) != nil)
    let first = source.sections[0].featureCount
    #expect((66..<198).contains(first) && source.sections[1].kind == .records)
    // At the ends of a section, of those that are read together, and across two sections.
    for number in [0, 1, 62, 63, 64, first - 2, first - 1, first, 198] {
      let damaged = MemorySource(copying: source)
      damaged.exchange(number)
      #expect(IndexFileDecoder(damaged)?.decode(blockCapacity: 30) == nil, "\(number)")
    }
  }

  @Test(arguments: Seeds.each(11...13))
  func `nothing that is read back is believed`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let source = try MemorySource(IndexFileTests.index(120, seed: seed, capacity: 30))
    var refused = 0
    for _ in 0..<1500 {
      let damaged = MemorySource(copying: source)
      for _ in 0..<generator.int(1...3) {
        let section = generator.int(0...(damaged.sections.count - 1))
        switch generator.int(0...5) {
        case 0: damaged.sections[section].featureCount += generator.pick([-1, 1, 1000, 1 << 40])
        case 1: damaged.sections[section].byteCount += generator.pick([-8, 4, -4, 1 << 50])
        case 2: damaged.sections[section].kind = generator.pick([.records, .order])
        default:
          let offset = generator.int(0...(damaged.size(of: section) - 1))
          damaged.flip(generator.int(0...7), at: offset, of: section)
        }
      }
      guard let index = IndexFileDecoder(damaged)?.decode(blockCapacity: 30) else {
        refused += 1
        continue
      }
      // What couldn't be told from an index is one, and none of it leads astray.
      for ordinal in ordinals(of: index) {
        let record = index.record(at: ordinal)
        #expect(
          index.ordinal(of: RecordReference(raw: index.reference(at: ordinal).raw)) == ordinal)
        #expect(record.coordinate.latitude.magnitude <= 90)
        _ = (record.id, record.properties.count, Array(record.furtherOrdinates))
      }
      #expect(try index.applying(.remove(index.expired(at: 500))).count <= index.count)
    }
    #expect(refused > 500)
  }

  @Test(arguments: [21, 22, 23] as [UInt64])
  func `what is sorted aside is what an index would store`(seed: UInt64) throws {
    final class Scratch: IndexFileSorter.Scratch {
      var bytes: [UInt8] = []
      func append(_ more: UnsafeRawBufferPointer) { bytes += more }
      func read(at offset: Int, into target: UnsafeMutableRawBufferPointer) {
        bytes.withUnsafeBytes {
          target.copyMemory(
            from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + target.count]))
        }
      }
    }
    let index = try IndexFileTests.index(
      [900, 250, 1][Int(seed - 21)], seed: seed, capacity: 30, large: seed == 22)
    var batch = FeatureBatch()
    index.directory.forEach { reference in
      batch.append(copying: index.records[reference])
      return true
    }
    for runBytes in [1, 3000, 1 << 20] {
      var sorter = IndexFileSorter(scratch: Scratch(), runBytes: runBytes)
      try sorter.append(batch)
      var (sections, bytes): ([IndexFileSection], [[UInt8]]) = ([], [])
      let count = try sorter.finish { section, content in
        sections.append(section)
        bytes.append(Array(content))
      }
      let source = try MemorySource(index)
      #expect(count == index.count && sections == source.sections && bytes == source.bytes)
    }
  }
}

extension FeatureIndex {
  fileprivate func reference(at ordinal: Int) -> RecordReference {
    let block = blocks[ordinal >> PointIndex.blockBits]
    return block.references.pointer[ordinal & (1 << PointIndex.blockBits - 1)]
  }
}

extension FeatureBatch {
  /// Appends a copy of a feature.
  fileprivate mutating func append(copying record: FeatureRecord) {
    append(
      id: record.id, coordinate: record.coordinate, further: record.furtherOrdinates,
      properties: record.properties, expires: record.expires)
  }
}
