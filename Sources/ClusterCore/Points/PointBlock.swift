/// A piece of a ``PointIndex`` that never changes: features that follow each other in index order,
/// their positions under a quadtree of their own, and where their records are.
final class PointBlock: Sendable {
  let positions: FixedArray<Position>
  let references: FixedArray<RecordReference>
  let tree: Quadtree

  /// Builds the tree over positions in Z-order, at least one, whose records are in an arena. O(n).
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

  /// The number of features.
  var count: Int { positions.count }

  /// The memory it takes, in bytes.
  var byteCount: Int { positions.byteCount + references.byteCount + tree.byteCount }
}
