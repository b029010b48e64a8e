/// About how many features are in a region, and how many cells of a grid hold any of them.
public struct CellEstimate: Sendable {
  /// About the number of features.
  public var features: Double
  /// About the number of cells that aren't empty.
  public var cells: Double

  /// Creates an estimate.
  public init(features: Double = 0, cells: Double = 0) {
    (self.features, self.cells) = (features, cells)
  }
}
