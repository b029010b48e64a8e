/// What a viewport request found.
public struct ClusterResult: Sendable {
  /// The annotations in the order of the answer: by row and column of their own grid, then group,
  /// then index order; without grids in index order of their first features.
  public var annotations: [Annotation] = []
  /// The clusterings that they come from: one, or one a group.
  public var layers: [ClusterLayer] = []
  /// The number of features in the request's own grid, or rectangle.
  public var featureCount = 0
  /// How many of them are hidden; only for ``CollisionClusterer``.
  public var hiddenCount: Int?

  /// Nothing found yet.
  public init() {}

  /// A single annotation.
  init(_ annotation: Annotation?, of layer: ClusterLayer) {
    annotations = annotation.map { [$0] } ?? []
    layers = [layer]
    featureCount = annotation?.count ?? 0
  }

  /// Where an annotation comes from.
  public func layer(of annotation: Annotation) -> ClusterLayer { layers[annotation.layer] }

  /// Calls `body` with runs of places in the collection that are an annotation's features, in index
  /// order, until it returns false.
  public func forEachRun(of annotation: Annotation, _ body: (Range<Int>) -> Bool) {
    layer(of: annotation).runs(annotation, nil, body)
  }

  /// Calls `body` with the places in the collection of an annotation's features in index order until
  /// it returns false.
  public func forEachFeature(of annotation: Annotation, _ body: (Int) -> Bool) {
    forEachRun(of: annotation) { $0.allSatisfy(body) }
  }
}

/// One clustering of an answer: of all features, or of a group.
public struct ClusterLayer: Sendable {
  /// The group, where there are groups.
  public var group: ClusterGroup?
  /// The grid that its annotations' ids name; nil for methods without one.
  public let grid: CellGrid?
  /// The grid's cell size in points.
  public let cellSize: Double
  /// Calls back with the runs of an annotation's features that are also among those held by another.
  let runs: @Sendable (Annotation, HeldOrdinals?, (Range<Int>) -> Bool) -> Void

  /// How many of an annotation's features are also among those held by another.
  func count(of annotation: Annotation, in held: HeldOrdinals) -> Int {
    var total = 0
    runs(annotation, held) {
      total += $0.count
      return true
    }
    return total
  }

  /// The name of an annotation.
  public func id(of annotation: Annotation, in index: FeatureIndex) -> AnnotationID {
    guard let grid else {
      return AnnotationID(feature: index.record(at: annotation.first).id)
    }
    var name = CellName(
      grid: grid, cellSize: cellSize, cell: CellPosition(column: 0, row: 0), location: nil,
      group: group?.name)
    switch annotation.place {
    case .cell(let cell): name.cell = cell
    case .location(let cell, let location): (name.cell, name.location) = (cell, location)
    case .feature: return AnnotationID(feature: index.record(at: annotation.first).id)
    }
    return .cell(name)
  }
}

/// One of the groups in which features are clustered apart from each other.
public struct ClusterGroup: Sendable {
  /// Its part of annotations' ids.
  public let name: GroupName
  /// The value that its features share, as a key; nil for those without one.
  public let key: [UInt8]?
}

/// The features that an annotation on screen stands for today.
enum HeldOrdinals: Sendable {
  case cell(CellRegion)
  case location(LocationRegion)
  /// By its place in the collection.
  case feature(Int)
}
