/// All features of a collection in index order, on their way into blocks.
///
/// The blocks' arrays are pieces of these, and their nodes of a few tables: they lie side by side on huge
/// pages, which are given back when all of the blocks are gone.
struct SortedFeatures: Sendable {
  private let positions: FixedArray<Position>
  private let references: FixedArray<RecordReference>
  /// ``FeatureEntry/never`` for features that don't expire.
  private let expiries: FixedArray<Int64>

  /// Room for some features, all of which are to be set.
  init(count: Int) {
    positions = FixedArray(uninitialized: count)
    references = FixedArray(uninitialized: count)
    expiries = FixedArray(uninitialized: count)
  }

  @inline(__always)
  func set(_ index: Int, _ entry: FeatureEntry) {
    positions.pointer[index] = entry.position
    references.pointer[index] = entry.reference
    expiries.pointer[index] = entry.expires
  }

  /// Makes blocks that follow each other: the first begins at `start`. O(n).
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
        positions: positions.slice(points), references: references.slice(points), tree: tree)
      return FeatureBlock(block, expires: expires(of: points))
    }
  }

  /// A copy of when each expires; nil if none does.
  private func expires(of points: Range<Int>) -> FixedArray<Int64>? {
    let own = expiries.pointer + points.lowerBound
    let doesExpire = (0..<points.count).contains { own[$0] != FeatureEntry.never }
    return doesExpire ? FixedArray(copying: own, count: points.count) : nil
  }
}
