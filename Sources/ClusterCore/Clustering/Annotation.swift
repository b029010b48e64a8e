/// What a map draws: a cluster of several features, or a pin for one.
public struct Annotation: Sendable {
  /// What the annotation stands for, within its grid.
  public enum Place: Hashable, Sendable {
    /// A whole cell.
    case cell(CellPosition)
    /// One location of a cell that is not clustered.
    case location(CellPosition, Location)
    /// One feature that is kept apart or declustered.
    case feature
  }

  /// A declustered pin's origin.
  public struct Spread: Sendable {
    /// Where its feature is.
    public var originalCoordinate: Coordinate
    /// How many features share that coordinate.
    public var contested: Int
  }

  /// What it stands for.
  public var place: Place
  /// The cell of its own grid that it comes from; nil for methods without a grid.
  public var cell: CellPosition?
  /// Where to draw it.
  public var coordinate: Coordinate
  /// The number of its features, at least 1.
  public var count: Int
  /// The bounds of its features.
  public var bounds: GeoBounds
  /// Whether all of them are at one location.
  public var isUniqueLocation: Bool
  /// The place in the collection of its first feature, by which it is known.
  public var first: Int
  /// Which of an answer's clusterings it comes from; see ``ClusterResult/layers``.
  public var layer = 0
  /// Set for declustered pins.
  public var spread: Spread?
  /// Which of the annotations that are on screen it goes on from, if any; see ``AnnotationReuse``.
  public var reuses: Int?

  /// Whether it stands for several features.
  public var isCluster: Bool { count > 1 }

  /// Whether it is a cluster of a whole cell.
  var isClusterOfCell: Bool { if case .cell = place { isCluster } else { false } }
}

extension Annotation {
  /// A pin for one feature.
  init(pin place: Int, of points: PointIndex, as kind: Place = .feature) {
    let coordinate = points.coordinate(at: place)
    self.init(
      place: kind, cell: nil, coordinate: coordinate, count: 1,
      bounds: GeoBounds(
        west: coordinate.longitude, south: coordinate.latitude, east: coordinate.longitude,
        north: coordinate.latitude),
      isUniqueLocation: true, first: place, spread: nil)
  }

  /// An annotation for the features of a region: those of a whole cell at their mean coordinate, others
  /// at that of the first.
  init(
    _ sum: CellSum, of points: PointIndex, in region: some IndexRegion,
    excluding excluded: OrdinalSet, as kind: Place
  ) {
    if sum.count == 1 {
      self.init(pin: sum.first, of: points, as: kind)
      return
    }
    var isWhole = false
    if case .cell = kind { isWhole = true }
    let box = sum.sum.box
    let bounds = points.bounds(of: box, in: region, excluding: excluded)
    self.init(
      place: kind, cell: nil,
      coordinate: isWhole ? sum.sum.mean(in: bounds) : points.coordinate(at: sum.first),
      count: sum.count,
      bounds: bounds, isUniqueLocation: box.isOneLocation, first: sum.first, spread: nil)
  }
}
