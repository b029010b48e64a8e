/// All features of a collection in index order, from which blocks are made.
///
/// The blocks' arrays are slices of these arrays, and their nodes slices of a few tables. They are
/// adjacent on huge pages, which are freed with the last of the blocks.
struct SortedFeatures: Sendable {
  let positions: WritableArray<Position>
  let references: WritableArray<RecordReference>
  /// Whether each expires; when, its record says.
  private let expire: WritableArray<Bool>

  /// Allocates memory for `count` features; the caller must set those from which it makes blocks.
  init(count: Int) {
    positions = WritableArray(count: count)
    references = WritableArray(count: count)
    expire = WritableArray(count: count)
  }

  @inline(__always)
  func set(_ index: Int, _ entry: FeatureEntry) {
    positions.pointer[index] = entry.position
    set(index, entry.reference, expires: entry.expires != FeatureEntry.never)
  }

  /// Sets all of a feature but its position.
  @inline(__always)
  func set(_ index: Int, _ reference: RecordReference, expires: Bool) {
    references.pointer[index] = reference
    expire.pointer[index] = expires
  }

  /// Returns consecutive blocks with the given ends, the first of which begins at `start`. O(n).
  func blocks(from start: Int, _ ends: ArraySlice<Int>, _ records: RecordArena) -> [FeatureBlock] {
    guard let last = ends.last else { return [] }
    var builder = QuadtreeBuilder(
      positions.pointer, references.pointer, records, expecting: last - start)
    var begin = start
    let trees = ends.map { end in
      defer { begin = end }
      return (points: begin..<end, nodes: builder.build(begin..<end))
    }
    let tables = builder.tables
    return trees.map { points, nodes in
      let tree = Quadtree(
        nodes: tables.nodes.slice(nodes), sums: tables.sums.slice(nodes))
      let block = PointBlock(
        positions: positions.fixed.slice(points), references: references.fixed.slice(points),
        tree: tree)
      return FeatureBlock(block, expires: expiries(of: points, records))
    }
  }

  /// Returns the expiries of some features, ``FeatureEntry/never`` for those without one, or nil if none expires.
  private func expiries(of points: Range<Int>, _ records: RecordArena) -> FixedArray<Int64>? {
    guard points.contains(where: { expire.pointer[$0] }) else { return nil }
    let expiries = WritableArray<Int64>(count: points.count)
    for (offset, point) in points.enumerated() {
      expiries.pointer[offset] =
        expire.pointer[point]
        ? records[references.pointer[point]].expires ?? FeatureEntry.never : FeatureEntry.never
    }
    return expiries.fixed
  }
}
