/// A cluster of several features, or a pin for a single one, to draw on a map.
public struct Annotation: Sendable {
  /// The place that an annotation's id names, within its grid.
  public enum Key: Hashable, Sendable {
    /// A whole cell.
    case cell(CellPosition)
    /// One location in a cell that is not clustered.
    case location(CellPosition, Location)
    /// A feature that is kept apart or declustered.
    case feature
  }

  /// The origin of a declustered pin.
  public struct Spread: Sendable {
    /// The coordinate of its feature.
    public var originalCoordinate: Coordinate
    /// The number of features that share that coordinate.
    public var contested: Int
  }

  /// The place that its id names.
  public var key: Key
  /// The cell of its own grid that it comes from; nil for methods without a grid.
  public var cell: CellPosition?
  /// The coordinate at which to draw it.
  public var coordinate: Coordinate
  /// The number of its features, at least 1.
  public var count: Int
  /// The bounds of its features.
  public var bounds: GeoBounds
  /// Whether all of its features are at one location.
  public var isUniqueLocation: Bool
  /// The ordinal in the collection of its first feature.
  public var first: Int
  /// The index in ``ClusterResult/layers`` of its layer.
  public var layer = 0
  /// The origin of the pin if it is declustered.
  public var spread: Spread?
  /// The index of the previous annotation that it reuses, if any; see ``AnnotationReuse``.
  public var reuses: Int?

  /// Whether it stands for several features.
  public var isCluster: Bool { count > 1 }

  /// Whether it is a cluster of a whole cell.
  var isClusterOfCell: Bool { if case .cell = key { isCluster } else { false } }

  /// The cell of its grid, or the location in one, that it is the annotation of; nil if it is a feature's.
  func region(on grid: CellGrid) -> CellRegion? {
    switch key {
    case .cell(let cell): CellRegion(grid: grid, cell: cell)
    case .location(let cell, let location): CellRegion(grid: grid, cell: cell, location: location)
    case .feature: nil
    }
  }
}

extension Annotation {
  /// Creates a pin for a feature.
  init(pin ordinal: Int, of points: PointIndex, as key: Key = .feature) {
    self.init(pin: ordinal, at: points.coordinate(at: ordinal), as: key)
  }

  /// Creates a pin for a feature at its coordinate.
  @inline(__always)
  init(pin ordinal: Int, at coordinate: Coordinate, as key: Key) {
    self.init(
      key: key, coordinate: coordinate, count: 1, bounds: GeoBounds(only: coordinate),
      isUniqueLocation: true, first: ordinal)
  }

  /// Creates an annotation for the features of a region, at their mean if the key is a cell, otherwise
  /// at the first one.
  init(
    _ sum: CellSum, of points: PointIndex, in region: some IndexRegion,
    excluding excluded: OrdinalSet, as key: Key
  ) {
    if sum.count == 1 {
      self.init(pin: sum.first, of: points, as: key)
      return
    }
    let isWhole = if case .cell = key { true } else { false }
    let box = sum.sum.box
    let bounds =
      !box.isPolar
      ? GeoBounds(within: box)
      : points.bounds(of: box, in: AnyRegion(region.without(excluded)))
    self.init(
      key: key,
      coordinate: isWhole ? sum.sum.mean(in: bounds) : points.coordinate(at: sum.first),
      count: sum.count, bounds: bounds, isUniqueLocation: box.isOneLocation, first: sum.first)
  }
}
