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

extension ClusterResult {
  /// The annotation that holds the feature at a place; nil where none does.
  func annotation(holding place: Int) -> Annotation? {
    annotations.first { layer(of: $0).count(of: $0, in: .feature(place)) > 0 }
  }
}

extension ClusterResult {
  /// The places in the collection of an annotation's features in index order: at most `limit`, after
  /// `offset`.
  public func places(of annotation: Annotation, offset: Int, limit: Int) -> [Int] {
    var toSkip = offset
    var places: [Int] = []
    guard limit > 0, offset < annotation.count else { return places }
    forEachRun(of: annotation) { run in
      let skipped = min(toSkip, run.count)
      toSkip -= skipped
      places += run.dropFirst(skipped).prefix(limit - places.count)
      return places.count < limit
    }
    return places
  }
}
