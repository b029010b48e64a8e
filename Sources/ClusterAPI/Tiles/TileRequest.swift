import ClusterCore
import Collections
import FeatureStore
import GeoFormats

/// A request for a tile: which one, of which type, and what its annotations carry.
struct TileRequest: Sendable {
  private(set) var tile: Tile
  private(set) var viewport: ViewportRequest
  /// The version in the template that the request was made from; nil if there is none.
  let version: Int?
  /// The properties that are parameters of the query, for which the viewport's filter asks.
  let properties: [Fields.AskedProperty]

  /// The fields for the annotations and their members.
  static let names = ViewportField.names(.tile)
  private static let allNames = names + ["v"]
  /// The last whole number up to which doubles hold all.
  private static let lastVersion = 9_007_199_254_740_991

  /// Reads the fields of a tile.
  init(
    _ tile: Tile, _ type: MediaType, _ fields: Fields, version: Int? = nil
  ) throws {
    (self.tile, self.version) = (tile, version)
    viewport = try ViewportRequest(tile, fields, isGeoJSON: type == .geoJSON)
    properties = try fields.askedProperties()
  }

  /// Reads the query of a tile.
  init(_ tile: Tile, _ type: MediaType = .vectorTile, query: String?) throws {
    let fields = try Fields(query: query, allowed: TileRequest.allNames, othersAreProperties: true)
    let version = try fields.integer("v", in: 0...TileRequest.lastVersion)
    try self.init(tile, type, fields, version: version)
  }
}

extension TileRequest {
  /// The request with its span of time as a part of the filter.
  consuming func resolved(by temporal: TemporalProperties?) -> TileRequest {
    viewport = viewport.resolved(by: temporal)
    return self
  }

  /// The same request for another tile.
  func moved(to tile: Tile) throws -> TileRequest {
    var request = self
    request.tile = tile
    let cellSize = viewport.values.cellSize ?? 60
    request.viewport = viewport.moved(to: try Viewport(tile, cellSize: cellSize))
    return request
  }
}

extension ViewportRequest {
  /// Reads the options for a tile's annotations and their members.
  fileprivate init(_ tile: Tile, _ fields: Fields, isGeoJSON: Bool) throws {
    var values = ViewportValues()
    try fields.readSettings(of: .tile, into: &values)
    // The zooms of tiles are whole.
    values.cell.settings.zoomStep = .finest
    try fields.read(.properties, .output, .cellSize, of: .tile, into: &values)
    values.cell.properties.filter = try fields.narrowed(values.cell.properties.filter)
    values.cell.output.isGeoJSON = isGeoJSON
    self.init(values, on: try Viewport(tile, cellSize: values.cellSize ?? 60))
  }
}
