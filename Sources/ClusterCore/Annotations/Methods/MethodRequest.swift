/// A validated request to cluster features by a method without a grid.
public struct MethodRequest: Sendable {
  /// The methods.
  public enum Method: Sendable {
    /// Links features within a distance in points; linked features form a cluster.
    case distance(epsilon: Double)
    /// Hides or joins features whose markers would overlap.
    case collision(Markers)
  }

  /// The markers that are drawn for features.
  public struct Markers: Sendable {
    /// The width in points.
    public var width = 40.0
    /// The height in points.
    public var height = 40.0
    /// The property that holds a feature's priority, 0…1000; the default is 500.
    public var priorityBy: [UInt8]?
    /// The property that features must have in common to join.
    public var clusterBy: [UInt8]?

    /// Creates the default markers.
    public init() {}
  }

  /// The maximum number of features in a viewport. In the worst case, that many are clustered or refused
  /// within a fifth of a second of processor time.
  public static let maximumFeatures = 1_000_000
  /// The default distance, in points.
  public static let defaultEpsilon = 30.0
  /// The distances that are accepted, in points.
  public static let epsilons: ClosedRange<Double> = 1...512
  /// The widths and heights of markers that are accepted, in points.
  public static let markerSides: ClosedRange<Double> = 1...2048

  /// The viewport.
  public var viewport: TileViewport
  /// The method.
  public var method: Method
  /// Features that never join a cluster.
  public var keepApart: [FeatureID]
  /// The maximum number of annotations, 1…10 000.
  public var limit: Int
  /// The groups to cluster separately, if any.
  public var grouping: Grouping?

  /// Creates a request.
  public init(viewport: TileViewport, method: Method, keepApart: [FeatureID], limit: Int) {
    self.viewport = viewport
    self.method = method
    self.keepApart = keepApart
    self.limit = limit
  }

  func tooMany(features: Int) -> ImpossibleRequest {
    let maximum = MethodRequest.maximumFeatures
    return ImpossibleRequest(
      field: "method",
      detail:
        "the viewport with its margin holds \(features) features, more than the \(maximum) that "
        + "this method takes; \(remedy(features: features)) would do")
  }

  func refusal(_ limit: MethodLimit, features: Int) -> ImpossibleRequest {
    switch limit {
    case .annotations(let count):
      .tooMany(
        annotations: count, limit: self.limit, "a filter, a smaller rect or the method grid")
    case .memory: .outOfMemory
    case .work:
      ImpossibleRequest(
        field: "method",
        detail:
          "the \(features) features in the viewport lie so close together that this method would take too long; "
          + "\(remedy(features: features)) would do")
    }
  }

  /// The changes that help. A zoom larger by 1 shows about a quarter of the features.
  private func remedy(features: Int) -> String {
    let excess = max(Double(features) / Double(MethodRequest.maximumFeatures), 2)
    let zoom = (viewport.zoomLevel + (logarithm2(excess) / 2).rounded(.up)).rounded(.up)
    let nearer = zoom <= 24 ? "a zoom of \(Int(zoom)), " : ""
    return "\(nearer)a filter or the method grid"
  }
}

/// The columns of the properties that determine how markers collide.
public struct MarkerColumns: Sendable {
  let priorities: PropertyColumn?
  let clusterKeys: KeyColumn?

  /// Creates the columns of the properties that a request names.
  public init(priorities: PropertyColumn? = nil, clusterKeys: KeyColumn? = nil) {
    self.priorities = priorities
    self.clusterKeys = clusterKeys
  }
}
