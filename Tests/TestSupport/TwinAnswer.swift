import ClusterCore

/// What the contract says to answer.
public struct TwinAnswer: Sendable {
  /// The grid.
  public let grid: TwinGrid
  /// How many features the grid's part holds.
  public let featureCount: Int
  /// The annotations in order.
  public let annotations: [TwinAnnotation]
  /// How many features each cell holds; empty cells are absent.
  public let cellCounts: [TwinCell: Int]
}

/// One annotation of the expected answer.
public struct TwinAnnotation: Sendable {
  /// What its id must name.
  public enum Kind: Hashable, Sendable {
    /// The whole cell.
    case cell
    /// A location in the cell.
    case location(Twin.Location)
    /// One feature, wherever that is: a kept-apart or declustered pin.
    case feature(FeatureID)
  }

  /// The cell.
  public let cell: TwinCell
  /// What its id must name.
  public let kind: Kind
  /// Its features in index order.
  public let features: [TwinFeature]
  /// Where it stands.
  public let coordinate: Coordinate
  /// Whether the coordinate is some feature's own and so right to the last bit.
  public let isCoordinateExact: Bool
  /// Whether all features are at one location.
  public let isUniqueLocation: Bool
  /// West, south, east, north.
  public let bbox: [Double]
  /// The title.
  public let title: String
  /// The subtitle; empty where a cluster's features have no titles.
  public let subtitle: String?
  /// Of a declustered pin, its feature's own coordinate.
  public let originalCoordinate: Coordinate?
  /// Of a declustered pin, how many features share its coordinate.
  public let contested: Int?
  /// The features that a cluster lists.
  public let members: [TwinFeature]

  /// How many features.
  public var count: Int { features.count }
  /// Whether it stands for several.
  public var isCluster: Bool { features.count > 1 }
}

/// One pin of `/pins`.
public struct TwinPin: Sendable {
  /// The feature.
  public let feature: TwinFeature
  /// Where it is drawn.
  public let coordinate: Coordinate
  /// How many features share its own coordinate.
  public let contested: Int
}
