import ClusterCore

/// A viewport request: the values of its fields, and the viewport that they define.
struct ViewportRequest: Sendable {
  /// The part of the world that is clustered.
  enum Area: Sendable {
    /// Cells of a grid, and what some groups have of their own.
    case grid(Viewport, overrides: [[UInt8]: Grouping.Override])
    /// Tiles, for methods without a grid.
    case tiles(TileViewport)

    /// The zoom: that of the grid, if there is one.
    var zoomLevel: Double {
      switch self {
      case .grid(let viewport, _): viewport.zoomLevel
      case .tiles(let viewport): viewport.zoomLevel
      }
    }

    /// The cells of the grid, or the tiles.
    var cells: GridRange {
      switch self {
      case .grid(let viewport, _): viewport.cells
      case .tiles(let viewport): viewport.tiles
      }
    }
  }

  /// A request is handed from function to function, and this is much to copy.
  private final class Content: Sendable {
    let fields: FieldValues
    let area: Area
    let side: LongitudeSide?
    let needs: Needs

    init(_ fields: FieldValues, _ area: Area, _ side: LongitudeSide?) {
      (self.fields, self.area, self.side) = (fields, area, side)
      var needs = fields.needs
      if needs.remove(.zoom) != nil,
        fields.values.cell.settings.isClusteringOff(atZoom: area.zoomLevel)
      {
        needs.insert(.singles)
      }
      if side != nil { needs.insert(.side) }
      self.needs = needs
    }
  }

  /// The values of fields, which the requests for many tiles share.
  private final class FieldValues: Sendable {
    let values: ViewportValues
    // Known beforehand, as to look into values may copy parts of them.
    let byteCount: Int
    let needs: Needs

    init(_ values: consuming ViewportValues) {
      byteCount = values.cell.byteCount
      needs = values.needs
      self.values = values
    }

    // Here, where nothing has to be copied for it.
    func hasSameProperties(as other: FieldValues) -> Bool {
      values.cell.properties == other.values.cell.properties
    }
  }

  private var content: Content

  /// The values of its fields. To change them copies all of them.
  var values: ViewportValues {
    _read { yield content.fields.values }
    set { content = Content(FieldValues(newValue), content.area, content.side) }
  }

  /// Where the viewport is.
  var area: Area { _read { yield content.area } }

  /// On which side longitudes are answered; nil where they stay as they are.
  var side: LongitudeSide? { content.side }

  /// The most cells that an answer lists.
  static let maximumListedCells = 10_000

  /// Reads the fields that a request takes. `locate` gives the rectangle and the scale.
  init(
    _ fields: Fields, of request: ViewportField.Requests = .clusters,
    rect givenRect: MapRect? = nil,
    scale givenScale: Viewport.Scale? = nil
  ) throws {
    var values = ViewportValues()
    try fields.read(.method, of: request, into: &values)
    if values.method != .grid, let name = ViewportField.gridOnly.first(where: fields.has) {
      let method = values.method.rawValue
      throw fields.problem(name, "\(name) means nothing to the method \(method)")
    }
    let rect = try givenRect ?? fields.rect(into: &values)
    let scale = try givenScale ?? fields.scale(into: &values)
    try fields.readSettings(of: request, into: &values)
    try fields.read(
      .limit, .margin, .wrap, .properties, .output, .previous, .tiles, .histogram, of: request,
      into: &values)
    let side = values.wrap ? LongitudeSide(ofMiddleOf: rect) : nil
    guard values.method == .grid else {
      let area = Area.tiles(
        try TileViewport(rect: rect, scale: scale, marginFactor: values.margin))
      content = Content(FieldValues(consume values), area, side)
      return
    }
    try fields.read(.cellSize, .debug, of: request, into: &values)
    let viewport = try Viewport(
      rect: rect, scale: scale, cellSize: values.cellSize ?? 60, marginFactor: values.margin,
      zoomStep: values.cell.settings.zoomStep,
      limit: values.debug
        ? (ViewportRequest.maximumListedCells, "debug") : Viewport.usualLimit)
    try fields.read(.groups, of: request, into: &values)
    let overrides = try fields.overrides(values.cell.groups, viewport)
    let read = FieldValues(consume values)
    // Pins that are spread may cross the antimeridian, as may the cells of groups; previous annotations may be anywhere; and
    // members at 180 are at the west of bounds that begin at −180.
    let keepsAll =
      read.needs.isDisjoint(with: [.spreadPins, .ownSettings, .otherMembers, .lists])
      && side?.keepsAll(of: viewport.cells.mapRect) == true
    content = Content(read, .grid(viewport, overrides: overrides), keepsAll ? nil : side)
  }

  /// A request for a viewport on a grid.
  init(_ values: ViewportValues, on viewport: Viewport) {
    content = Content(FieldValues(values), .grid(viewport, overrides: [:]), nil)
  }

  /// A request with the same values for another viewport on a grid.
  func moved(to viewport: Viewport) -> ViewportRequest {
    var request = self
    request.content = Content(content.fields, .grid(viewport, overrides: [:]), nil)
    return request
  }

  /// The request with the form that ids have in a GeoJSON answer about the features of an index; see
  /// ``FeatureIndex/idForms`` for what that takes.
  consuming func withIDForm(of index: FeatureIndex) -> ViewportRequest {
    if values.cell.output.isGeoJSON, index.idForms != .integers {
      values.cell.output.hasTextIDs = true
    }
    return self
  }

  /// The approximate size of the values of variable length that decide how cells are encoded, in bytes.
  var cellByteCount: Int { content.fields.byteCount }

  /// The needs of the answer.
  var needs: Needs { content.needs }

  /// Whether another request's fields were read together with this one's, so that they are equal.
  func sharesValues(with other: ViewportRequest) -> Bool { content.fields === other.content.fields }

  /// Whether another request's cells depend on the same properties.
  func hasSameProperties(as other: ViewportRequest) -> Bool {
    content.fields.hasSameProperties(as: other.content.fields)
  }
}

extension Fields {
  /// Reads the rectangle: exactly one of the three fields.
  func rect(into values: inout ViewportValues) throws -> MapRect {
    let names = ViewportField.fields(of: .rect)
    guard names.count(where: { has($0.name) }) <= 1 else {
      let given = names.map(\.name).filter(has)
      throw problem(
        given[1], "\(given.joined(separator: " and ")) are given; only one of them may be")
    }
    try read(.rect, into: &values)
    guard let rect = values.rect else {
      throw problem("bbox", "no rect: one of bbox, visibleMapRect and region is required")
    }
    return rect
  }

  /// Reads the scale: exactly one of the two fields.
  func scale(into values: inout ViewportValues) throws -> Viewport.Scale {
    try read(.scale, into: &values)
    switch (values.viewportWidth, values.zoom) {
    case (let width?, nil): return .viewportWidth(width)
    case (nil, let zoom?): return .zoom(zoom)
    case (nil, nil):
      throw problem("zoom", "no scale: one of viewportWidth and zoom is required")
    default: throw problem("zoom", "viewportWidth and zoom are given; only one of them may be")
    }
  }

  /// Reads the clustering settings and checks their ranges.
  func readSettings(of request: ViewportField.Requests, into values: inout ViewportValues) throws {
    try read(.settings, of: request, into: &values)
    try values.cell.settings.validate()
  }

  /// The settings of single groups in a viewport, by key.
  fileprivate func overrides(
    _ groups: [GroupOptions]?, _ viewport: Viewport
  ) throws -> [[UInt8]: Grouping.Override] {
    guard let groups else { return [:] }
    guard has("groupBy") else {
      throw problem("groups", status: 422, "groups has no effect without groupBy")
    }
    var overrides: [[UInt8]: Grouping.Override] = [:]
    for group in groups {
      let cellSize = group.cellSize ?? viewport.cellSize
      do {
        overrides[group.key] = Grouping.Override(
          cells: cellSize == viewport.cellSize
            ? viewport.cells : try viewport.cells(ofSize: cellSize),
          cellSize: cellSize, settings: group.settings)
      } catch {
        throw problem("\(group.pointer)/\(error.field)", status: 422, error.detail)
      }
    }
    return overrides
  }
}
