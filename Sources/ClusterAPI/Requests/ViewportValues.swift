import ClusterCore

/// The values of a viewport request's fields, each of its type and, as far as it can be told alone,
/// within its range. A property of ``ViewportField/all`` is stored here or in ``CellOptions``.
struct ViewportValues: Sendable {
  /// How the features of a viewport are clustered.
  enum Method: String, CaseIterable {
    case grid, distance, collision
  }

  /// The options that decide how cells are encoded.
  var cell = CellOptions()
  var method = Method.grid
  var rect: MapRect?
  var viewportWidth: Double?
  var zoom: Double?
  /// In points.
  var cellSize: Double?
  /// The share of the rectangle's width and height that is added on each side.
  var margin = 0.5
  /// The most annotations; nil for the resource's default.
  var limit: Int?
  /// Whether longitudes are answered on the side of the rectangle's middle.
  var wrap = false
  /// Whether the answer lists the cells.
  var debug = false
  /// The histogram that is asked for; nil for none.
  var histogram: HistogramOptions?
  /// The annotations on screen; nil if they aren't given.
  var previous: [PreviousAnnotation]?
  /// The reach of the method `distance`, in points.
  var epsilon = MethodRequest.defaultEpsilon
  /// The markers of the method `collision`.
  var markers = MethodRequest.Markers()

  /// The needs of the answer, whatever the zoom and the place.
  var needs: Needs {
    var needs = cell.needs
    if debug || previous != nil || histogram != nil { needs.insert(.otherMembers) }
    // It has notes on properties, too.
    if histogram != nil || method == .collision { needs.insert(.notes) }
    if method != .grid { needs.insert(.method) }
    return needs
  }
}
