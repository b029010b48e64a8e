import ClusterCore

/// What a request for pins asks for.
struct PinRequest: Sendable {
  let region: MapRegion
  /// From the contested location, in metres.
  let distance: Double
  var filter: FilterExpression?
  /// The span of time that features must overlap.
  let datetime: TimeExtent?
  let properties: AnnotationOptions.PropertySelection
  let limit: Int

  /// Reads the fields of a viewport. Those that have no effect here are held to the same rules, so that a
  /// body that passes here passes where they have one.
  init(_ fields: Fields) throws {
    var values = ViewportValues()
    let rect = try fields.rect(into: &values)
    if fields.has("viewportWidth") || fields.has("zoom") {
      try Viewport.check(scale: try fields.scale(into: &values))
    }
    try fields.read(.cellSize, of: .pins, into: &values)
    if let cellSize = values.cellSize { try Viewport.check(cellSize: cellSize) }
    try fields.read(.debug, .method, .tiles, .previous, .histogram, of: .pins, into: &values)
    try fields.readSettings(of: .pins, into: &values)
    try fields.read(.groups, .properties, .output, .margin, of: .pins, into: &values)
    try Viewport.check(marginFactor: values.margin)
    try fields.read(.limit, of: .pins, into: &values)
    region = MapRegion(rect.grown(by: values.margin))
    distance = values.cell.settings.distanceFromContestedLocation
    filter = values.cell.properties.filter
    datetime = values.cell.properties.datetime
    properties = values.cell.output.properties
    limit = values.limit ?? 1000
  }
}
