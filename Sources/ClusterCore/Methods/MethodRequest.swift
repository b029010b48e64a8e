/// What is to be brought together without a grid, and how; validated.
public struct MethodRequest: Sendable {
  /// How features come together.
  public enum Method: Sendable {
    /// Those closer than some points are linked, and what hangs together is one.
    case distance(epsilon: Double)
    /// Those whose markers would overlap give way or join.
    case collision(Markers)
  }

  /// What is drawn for a feature.
  public struct Markers: Sendable {
    /// In points.
    public var width = 40.0
    /// In points.
    public var height = 40.0
    /// The property that holds a feature's priority, 0…1000; 500 without.
    public var priorityBy: [UInt8]?
    /// The property whose equal values let features join.
    public var clusterBy: [UInt8]?

    /// The defaults.
    public init() {}
  }

  /// The most features of a view: as many are brought together, or given up, in a fifth of a
  /// second of processor time where they lie worst.
  public static let maximumFeatures = 1_000_000
  /// The reach that is used unless a request says otherwise, in points.
  public static let defaultEpsilon = 30.0
  /// The reaches that are accepted, in points.
  public static let epsilons: ClosedRange<Double> = 1...512
  /// The sides of markers that are accepted, in points.
  public static let markerSides: ClosedRange<Double> = 1...2048

  /// The view.
  public var view: TileViewport
  /// The method.
  public var method: Method
  /// Features that are annotations of their own.
  public var keepApart: [FeatureID]
  /// The most annotations, 1…10 000.
  public var limit: Int
  /// Keeps groups apart, if it is set.
  public var grouping: Grouping?

  /// Creates a request.
  public init(view: TileViewport, method: Method, keepApart: [FeatureID], limit: Int) {
    self.view = view
    self.method = method
    self.keepApart = keepApart
    self.limit = limit
  }
}

extension MethodRequest {
  /// The error for a view of too many features.
  func tooMany(features: Int) -> ImpossibleRequest {
    let maximum = MethodRequest.maximumFeatures
    return ImpossibleRequest(
      field: "method",
      detail: "the view with its margin holds \(features) features, more than the \(maximum) that "
        + "this method takes; \(remedy(features: features)) would do")
  }

  /// The error for what the method gave up.
  func refusal(_ limit: MethodLimit, features: Int) -> ImpossibleRequest {
    switch limit {
    case .annotations(let count) where count <= ClusterRequest.maximumLimit:
      ImpossibleRequest(
        field: "limit",
        detail:
          "the view holds \(count) annotations, more than the limit of \(self.limit); a limit of "
          + "\(count) would do")
    case .annotations:
      ImpossibleRequest(
        field: "limit",
        detail: "the view holds more than \(ClusterRequest.maximumLimit) annotations; a filter, a "
          + "smaller rect or the method grid would do")
    case .work:
      ImpossibleRequest(
        field: "method",
        detail: "the \(features) features of the view lie so that this method takes too long; "
          + "\(remedy(features: features)) would do")
    }
  }

  /// A view twice as near holds about a quarter.
  private func remedy(features: Int) -> String {
    let excess = max(Double(features) / Double(MethodRequest.maximumFeatures), 2)
    let zoom = (view.zoomLevel + (logarithm2(excess) / 2).rounded(.up)).rounded(.up)
    let nearer = zoom <= 24 ? "a zoom of \(Int(zoom)), " : ""
    return "\(nearer)a filter or the method grid"
  }
}
