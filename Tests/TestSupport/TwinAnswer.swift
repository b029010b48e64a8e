import ClusterCore

/// What the contract says to answer.
public struct TwinAnswer: Sendable {
  /// The grid.
  public let grid: TwinGrid
  /// How many features the grid's part holds.
  public let featureCount: Int
  /// The annotations in order.
  public internal(set) var annotations: [TwinAnnotation]
  /// How many features each cell holds; empty cells are absent.
  public let cellCounts: [TwinCell: Int]
  /// How it was clustered.
  public var method = TwinRequest.Method.grid
  /// Those that no annotation stands for, of collision only.
  public var hidden: [TwinFeature] = []
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

  /// The cell, of its group's grid; of a method without a grid the tile of its first feature.
  public let cell: TwinCell
  /// The grid of the cell.
  public let grid: TwinGrid
  /// Its group, nil without `groupBy`.
  public let group: TwinGroup?
  /// What its id must name.
  public let kind: Kind
  /// Its features in index order.
  public let features: [TwinFeature]
  /// Where it stands.
  public internal(set) var coordinate: Coordinate
  /// Whether the coordinate is some feature's own and so right to the last bit.
  public internal(set) var isCoordinateExact: Bool
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
  /// Weight, counts and aggregates.
  public let statistics: TwinStatistics
  /// Other longitudes that do as well, of components round the world whose widest gaps are equal.
  public internal(set) var alternatives: [TwinArc] = []

  /// Whether it is a cluster of a whole cell, the only kind that moves to where an old one was.
  public var isWholeCell: Bool { kind == .cell && isCluster }
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
