/// The result of clustering the features of a viewport.
public struct ClusterResult: Sendable {
  /// The annotations in the order of the answer: by row and column of their own grid, then by group,
  /// then in index order; without a grid, in index order of their first features.
  public var annotations: [Annotation] = []
  /// The layers of the annotations: a single one, or one for each group.
  public var layers: [ClusterLayer] = []
  /// The number of features in the request's own cells or rectangle.
  public var featureCount = 0
  /// The number of hidden features; only set by the collision method.
  public var hiddenCount: Int?
  /// Without a grid, the zooms at which clusters come apart, by the ordinals of their first features, as far
  /// as they were asked for.
  var expansionZooms: [Int: Int]?

  /// Creates an empty result.
  public init() {}

  /// Creates the result of a single annotation.
  init(_ annotation: Annotation?, of layer: ClusterLayer) {
    annotations = annotation.map { [$0] } ?? []
    layers = [layer]
    featureCount = annotation?.count ?? 0
  }

  /// The layer of an annotation.
  public func layer(of annotation: Annotation) -> ClusterLayer { layers[annotation.layer] }

  /// Calls `body` with the runs of an annotation's ordinals in the collection, in index order, until it
  /// returns false.
  ///
  /// - Complexity: O(nodes that the edges of its cell cross), and O(runs).
  public func forEachRun(of annotation: Annotation, _ body: (Range<Int>) -> Bool) {
    layer(of: annotation).runs(annotation, nil, body)
  }

  /// Calls `body` with an annotation's ordinals in the collection, in index order, until it returns false.
  ///
  /// - Complexity: as ``forEachRun(of:_:)``, and O(features that `body` gets).
  public func forEachFeature(of annotation: Annotation, _ body: (Int) -> Bool) {
    forEachRun(of: annotation) { $0.allSatisfy(body) }
  }

  /// The annotation that holds a feature, given by its ordinal in the collection; nil if none does.
  func annotation(holding ordinal: Int) -> Annotation? {
    annotations.first { layer(of: $0).count(of: $0, in: .feature(ordinal)) > 0 }
  }

  /// At most `limit` of an annotation's ordinals in the collection, in index order, skipping the first
  /// `offset`.
  public func ordinals(of annotation: Annotation, offset: Int, limit: Int) -> [Int] {
    var toSkip = offset
    var ordinals: [Int] = []
    guard limit > 0, offset < annotation.count else { return ordinals }
    forEachRun(of: annotation) { run in
      let skipped = min(toSkip, run.count)
      toSkip -= skipped
      ordinals += run.dropFirst(skipped).prefix(limit - ordinals.count)
      return ordinals.count < limit
    }
    return ordinals
  }
}
