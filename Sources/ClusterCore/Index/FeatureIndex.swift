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
  public convenience init() { self.init(records: RecordArena(), entriesByID: []) }

  /// Builds the index of entries that are sorted by id, without duplicates. O(n).
  init(records: RecordArena, entriesByID entries: [Entry]) {
    precondition(entries.count <= FeatureIndex.maximumCount)
    count = entries.count
    self.records = records
    var keys = FixedArray<UInt64>(uninitialized: count)
    var order = FixedArray<UInt32>(uninitialized: count)
    for (rank, entry) in entries.enumerated() {
      keys.pointer[rank] = entry.position.zOrder
      order.pointer[rank] = UInt32(rank)
    }
    RadixSort.sort(keys: &keys, values: &order)  // stable: ids break ties
    let positions = FixedArray<Position>(uninitialized: count)
    let coordinates = FixedArray<Coordinate>(uninitialized: count)
    let references = FixedArray<RecordReference>(uninitialized: count)
    let byID = FixedArray<UInt32>(uninitialized: count)
    entries.withUnsafeBufferPointer { entries in
      for place in 0..<entries.count {
        let rank = Int(order.pointer[place])
        let entry = entries[rank]
        positions.pointer[place] = entry.position
        coordinates.pointer[place] = entry.coordinate
        references.pointer[place] = entry.reference
        byID.pointer[rank] = UInt32(place)
      }
    }
    (self.positions, self.coordinates) = (positions, coordinates)
    (self.references, self.byID) = (references, byID)
    tree = QuadtreeBuilder.build(
      keys: keys.pointer, positions: positions.pointer, coordinates: coordinates.pointer,
      count: count)
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
