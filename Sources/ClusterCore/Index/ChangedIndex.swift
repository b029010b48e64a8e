/// A changed index, and where features were before or are after that the changes touched.
public struct ChangedIndex {
  /// The index.
  public let index: FeatureIndex
  /// What made its blocks of those before; nil where it is the index before, or was built anew.
  let edit: EditedBlocks?
  /// In no order; some may be there several times.
  public let touched: [Coordinate]
}
