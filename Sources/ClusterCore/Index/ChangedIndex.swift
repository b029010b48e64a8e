/// A changed index, and where features were before or are after that the changes touched.
public struct ChangedIndex {
  /// The index.
  public let index: FeatureIndex
  /// In no order; some may be there several times.
  public let touched: [Coordinate]
}
