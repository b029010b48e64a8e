import CHints

/// An immutable snapshot of a collection: its features in index order, by where they are
/// (``points``) and by id.
///
/// Features are addressed by their place in index order, 0..<``count``: along the Z-order curve of
/// their positions, then by id. Beside their records they cost 32 bytes each (position, coordinate,
/// reference, place by id) and their share of the nodes.
public final class FeatureIndex: Sendable {
  /// Where the features are.
  public let points: PointIndex
  /// Where the records lie; keeps them alive.
  public let records: RecordArena
  let references: FixedArray<RecordReference>
  /// Places in index order, sorted by id.
  let byID: FixedArray<UInt32>
  private let scopeCache: ScopeCache
  /// Properties by place, as far as they were asked for.
  let columns: ColumnCache

  /// The number of features.
  public var count: Int { points.count }

  /// A feature on its way into an index.
  struct Entry: BitwiseCopyable {
    var coordinate: Coordinate
    var position: Position
    var reference: RecordReference
    /// Its place in the index that a change was applied to.
    var origin = isNew

    static let isNew = UInt32.max
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
  ///
  /// - Parameter old: the index that the entries' origins are places of, if there is one: its columns
  ///   are carried over.
  init(
    records: RecordArena, entriesByID entries: GrowingArray<Entry>, changed old: FeatureIndex? = nil
  ) {
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
    let coordinates = FixedArray<Coordinate>(coordinateMemory, count: count)
    let origins = old?.columns.isEmpty == false ? FixedArray<UInt32>(uninitialized: count) : nil
    references = FeatureIndex.gather(entries, ranks, rankMemory, coordinates, byID, origins)
    points = PointIndex(keyMemory: keyMemory, coordinates: coordinates)
    self.records = records
    scopeCache = ScopeCache(capacity: 32 << 20 + count * 40)
    columns = ColumnCache(featureCount: count)
    if let old, let origins { takeColumns(from: old, origins: origins) }
  }

  /// Brings coordinates, references and, if they are asked for, origins into index order, and writes
  /// down where each id went.
  private static func gather(
    _ entries: GrowingArray<Entry>, _ ranks: FixedArray<UInt32>, _ rankMemory: LargeMemory,
    _ coordinates: FixedArray<Coordinate>, _ byID: FixedArray<UInt32>,
    _ origins: FixedArray<UInt32>?
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
      if let origins { origins.pointer[place] = entry.origin }
      // Takes the rank's own place, which isn't read again but as `next` at the very end.
      references.storeBytes(
        of: entry.reference.raw, toByteOffset: place &* 4, as: UInt32.self)
    }
    return FixedArray(rankMemory, count: count)
  }

  /// Parts of it that requests have asked for.
  var scopes: RememberedScopes { RememberedScopes(index: self, cache: scopeCache) }

  /// The memory the index takes beside the records, in bytes.
  public var byteCount: Int {
    points.byteCount + references.byteCount + byID.byteCount
  }

  /// The record of the feature at a place, valid while this index lives.
  @inline(__always)
  public func record(at place: Int) -> FeatureRecord { records[references.pointer[place]] }

  /// The coordinate of the feature at a place.
  @inline(__always)
  public func coordinate(at place: Int) -> Coordinate { points.coordinate(at: place) }

  /// The position of the feature at a place.
  @inline(__always)
  public func position(at place: Int) -> Position { points.position(at: place) }

  /// The place of the feature with an id, if there is one. O(log n).
  public func place(of id: FeatureID) -> Int? {
    let rank = withRawID(id) { rankNotBefore($0) }
    guard rank < count else { return nil }
    let place = Int(byID.pointer[rank])
    return record(at: place).id == id ? place : nil
  }

  /// The bounds of all features; nil when there are none.
  public var bounds: GeoBounds? { points.bounds }

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
