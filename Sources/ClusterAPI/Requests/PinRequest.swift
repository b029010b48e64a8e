import ClusterCore

/// A request for pins.
struct PinRequest: Sendable {
  let region: MapRegion
  /// How pins are placed around shared coordinates.
  let spread: PinSpread
  var filter: FilterExpression?
  /// The span of time that features must overlap.
  let datetime: TimeExtent?
  let properties: AnnotationOptions.PropertySelection
  let limit: Int
  /// On which side longitudes are; nil where they stay as they are.
  let side: LongitudeSide?

  /// Reads the fields of a viewport. Those that have no effect here are held to the same rules, so that a
  /// body that passes here passes where they have one.
  init(_ fields: Fields) throws {
    var values = ViewportValues()
    let rect = try fields.rect(into: &values)
    var scale: Viewport.Scale?
    if fields.has("viewportWidth") || fields.has("zoom") {
      let given = try fields.scale(into: &values)
      try Viewport.check(scale: given)
      scale = given
    }
    try fields.read(.cellSize, of: .pins, into: &values)
    if let cellSize = values.cellSize { try Viewport.check(cellSize: cellSize) }
    try fields.read(.debug, .method, .tiles, .previous, .histogram, of: .pins, into: &values)
    try fields.readSettings(of: .pins, into: &values)
    try fields.read(.groups, .properties, .output, .margin, .wrap, of: .pins, into: &values)
    try Viewport.check(marginFactor: values.margin)
    try fields.read(.limit, of: .pins, into: &values)
    region = MapRegion(rect.grown(by: values.margin))
    var zoomLevel = 0.0
    if values.cell.settings.spreadUnit == .points {
      guard let scale else {
        throw fields.problem(
          "spreadUnit", status: 422,
          "points are of no size without a scale; zoom or viewportWidth would do, or meters")
      }
      zoomLevel = try Viewport.zoomLevel(rect: rect, scale: scale)
    }
    spread = values.cell.settings.spread(atZoom: zoomLevel)
    side = values.wrap ? LongitudeSide(ofMiddleOf: rect) : nil
    filter = values.cell.properties.filter
    datetime = values.cell.properties.datetime
    properties = values.cell.output.properties
    limit = values.limit ?? 1000
  }
}
