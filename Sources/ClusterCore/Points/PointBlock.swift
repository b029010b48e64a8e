/// An immutable part of a ``PointIndex``: consecutive features in index order with their positions,
/// a quadtree of their own, and references to their records.
final class PointBlock: Sendable {
  let positions: FixedArray<Position>
  let references: FixedArray<RecordReference>
  let tree: Quadtree

  /// Builds the quadtree over at least one position. The positions are in Z-order, and their
  /// records in `records`. O(n).
  convenience init(
    positions: FixedArray<Position>, references: FixedArray<RecordReference>,
    records: RecordArena
  ) {
    self.init(
      positions: positions, references: references,
      tree: QuadtreeBuilder.build(
        positions: positions.pointer, references: references.pointer, records: records,
        count: positions.count))
  }

  init(
    positions: FixedArray<Position>, references: FixedArray<RecordReference>, tree: Quadtree
  ) {
    (self.positions, self.references, self.tree) = (positions, references, tree)
  }

  var count: Int { positions.count }

  var byteCount: Int { positions.byteCount + references.byteCount + tree.byteCount }
}
