/// A changed index with the coordinates of the changes.
public struct ChangedIndex {
  /// The index.
  public let index: FeatureIndex
  /// How its blocks derive from the old ones; nil if the index is unchanged or was rebuilt.
  let edit: EditedBlocks?
  /// The coordinates of changed features before and after the changes, in no particular order. They
  /// may contain duplicates.
  public let touched: [Coordinate]
}
