import CHints

/// An immutable snapshot of a collection: its features in index order under a ``Quadtree``.
///
/// Features are addressed by their place in index order, 0..<``count``: along the Z-order curve of
/// their positions, then by id. Beside their records they cost 32 bytes each (position, coordinate,
/// reference, place by id) and their share of the nodes.
public final class FeatureIndex: Sendable {
  /// The number of features.
  public let count: Int
  /// Where the records lie; keeps them alive.
  public let records: RecordArena
  let positions: FixedArray<Position>
  let coordinates: FixedArray<Coordinate>
  let references: FixedArray<RecordReference>
  /// Places in index order, sorted by id.
  let byID: FixedArray<UInt32>
  let tree: Quadtree

  /// A feature on its way into an index.
  struct Entry: BitwiseCopyable {
    var coordinate: Coordinate
    var position: Position
    var reference: RecordReference
  }

  /// The most features of an index.
  static let maximumCount = Int(Int32.max)

  /// An index of nothing.
  public convenience init() {
    self.init(records: RecordArena(), entriesByID: GrowingArray(capacity: 0))
  }

  /// Builds the index of entries that are sorted by id, without duplicates. O(n).
  ///
  /// Fresh memory costs as much as the work in it, so each piece is used for one thing after
  /// another: keys become positions, the sort's scratch memory becomes coordinates, and the sorted
  /// ranks become references.
  init(records: RecordArena, entriesByID entries: GrowingArray<Entry>) {
    let count = entries.count
    precondition(count <= FeatureIndex.maximumCount)
    let keyMemory = LargeMemory(byteCount: max(count, 1) * MemoryLayout<UInt64>.stride)
    let rankMemory = LargeMemory(byteCount: max(count, 1) * MemoryLayout<UInt32>.stride)
    let coordinateMemory = LargeMemory(
      byteCount: max(count, 1) * MemoryLayout<Coordinate>.stride)
    let keys = FixedArray<UInt64>(keyMemory, count: count)
    let ranks = FixedArray<UInt32>(rankMemory, count: count)
    for rank in 0..<count {
      keys.pointer[rank] = entries.pointer[rank].position.zOrder
      ranks.pointer[rank] = UInt32(rank)
    }
    // Stable, so that ids break ties.
    RadixSort.sort(keys: keys, values: ranks, scratch: coordinateMemory)
    byID = FixedArray(uninitialized: count)
    coordinates = FixedArray(coordinateMemory, count: count)
    references = FeatureIndex.gather(entries, ranks, rankMemory, coordinates, byID)
    tree = QuadtreeBuilder.build(
      keys: keys.pointer, coordinates: coordinates.pointer, count: count)
    positions = FeatureIndex.positions(keys, keyMemory)
    self.records = records
    self.count = count
  }

  /// Brings coordinates and references into index order, and writes down where each id went.
  private static func gather(
    _ entries: GrowingArray<Entry>, _ ranks: FixedArray<UInt32>, _ rankMemory: LargeMemory,
    _ coordinates: FixedArray<Coordinate>, _ byID: FixedArray<UInt32>
  ) -> FixedArray<RecordReference> {
    let count = ranks.count
    let references = rankMemory.start
    let ahead = 16
    for place in 0..<count {
      // Entries come from all over the memory; ask for them in time.
      let next = min(place &+ ahead, count &- 1)
      chints_prefetch(entries.pointer + Int(ranks.pointer[next]))
      let rank = Int(ranks.pointer[place])
      let entry = entries.pointer[rank]
      coordinates.pointer[place] = entry.coordinate
      byID.pointer[rank] = UInt32(place)
      // Takes the rank's own place, which isn't read again but as `next` at the very end.
      references.storeBytes(
        of: entry.reference.raw, toByteOffset: place &* 4, as: UInt32.self)
    }
    return FixedArray(rankMemory, count: count)
  }

  /// Turns each key into its position, in place.
  private static func positions(
    _ keys: FixedArray<UInt64>, _ memory: LargeMemory
  ) -> FixedArray<Position> {
    for place in 0..<keys.count {
      let position = Position(zOrder: keys.pointer[place])
      memory.start.storeBytes(of: position, toByteOffset: place &* 8, as: Position.self)
    }
    return FixedArray(memory, count: keys.count)
  }

  /// The memory the index takes beside the records, in bytes.
  public var byteCount: Int {
    positions.byteCount + coordinates.byteCount + references.byteCount + byID.byteCount
      + tree.byteCount
  }

  /// The record of the feature at a place, valid while this index lives.
  @inline(__always)
  public func record(at place: Int) -> FeatureRecord { records[references.pointer[place]] }

  /// The coordinate of the feature at a place.
  @inline(__always)
  public func coordinate(at place: Int) -> Coordinate { coordinates.pointer[place] }

  /// The position of the feature at a place.
  @inline(__always)
  public func position(at place: Int) -> Position { positions.pointer[place] }

  /// The place of the feature with an id, if there is one. O(log n).
  public func place(of id: FeatureID) -> Int? {
    let rank = withRawID(id) { rankNotBefore($0) }
    guard rank < count else { return nil }
    let place = Int(byID.pointer[rank])
    return record(at: place).id == id ? place : nil
  }

  /// The bounds of all features; nil when there are none.
  public var bounds: GeoBounds? { tree.count == 0 ? nil : tree.aggregates.pointer[0].bounds }

  /// The first rank whose id is not before the given one.
  func rankNotBefore(_ id: FeatureRecord.RawID) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      let other = record(at: Int(byID.pointer[middle])).rawID
      if FeatureRecord.compare(other, id) < 0 { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Lends an id in the form that lies in records.
  func withRawID<R>(_ id: FeatureID, _ body: (FeatureRecord.RawID) -> R) -> R {
    switch id.key {
    case .integer(let value): body(.integer(value, writtenAsText: id.isWrittenAsText))
    case .text(let bytes): bytes.withUnsafeBytes { body(.text($0)) }
    }
  }
}
