import ClusterCore
import HTTPServer
import Texts

extension Resources {
  private static let ownNames = ["since", "tiles"]
  private static let changesNames = ViewportField.names(.changes) + ownNames
  private static let tilesNames =
    TileRequest.names + ViewportField.fields(of: .rect).map(\.name) + ["zoom"] + ownNames

  /// The changes of a viewport or of tiles, as server-sent events.
  func changes(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    let (subject, since) = try watched(request)
    _ = try request.negotiate([.eventStream], format: nil)
    // A browser that reconnects sends the id of the last event that it has seen.
    let last = request.headers["last-event-id"].flatMap { Int64($0.trimmed) }
    // Another instance may have shown a version that comes here in a moment.
    _ = try snapshot(id, wish: writer.link == nil ? 0 : last ?? since ?? 0)
    let key = Watch.Key(
      collection: id, tenantID: catalog.tenantID,
      query: ExactText(Resources.sharedFields(request)))
    return .deferred { [hub, catalog] answer in
      try hub.watch(key, of: catalog, subject, since: last ?? since, by: request, answer: answer)
    }
  }

  /// The subject that a request names, and the version that its client shows: by the query, or by a body, for a viewport that is
  /// too long for a query. Tiles have their fields in their URLs anyway.
  private func watched(_ request: HTTPRequest) throws -> (Watch.Subject, since: Int64?) {
    if request.method == .post {
      let query = try Fields(query: request.query, allowed: ["since"])
      try request.checkBodyType([.json])
      let asked = try parsers.withObject(
        ofBody: request.body, allowed: ViewportField.names(.changes)
      ) { fields, _ in try viewport(fields) }
      return (.viewport(asked), try query.integer("since").map(Int64.init))
    }
    let ofTiles = try? Fields(
      query: request.query, allowed: Resources.tilesNames, othersAreProperties: true)
    let isOfTiles = try ofTiles?.bool("tiles") ?? false
    let fields =
      try isOfTiles
      ? ofTiles : Fields(query: request.query, allowed: Resources.changesNames)
    guard let fields else { throw Problem(400, "the query can't be read") }
    let subject: Watch.Subject =
      isOfTiles ? .tiles(try WatchedTiles.Request(fields)) : .viewport(try viewport(fields))
    return (subject, try fields.integer("since").map(Int64.init))
  }

  private func viewport(_ fields: Fields) throws -> ViewportRequest {
    let method = try fields.choice("method", ViewportValues.Method.self) ?? .grid
    guard method == .grid else {
      throw fields.problem("method", "only viewports of the method grid can be watched")
    }
    return try ViewportRequest(fields, of: .changes)
  }

  /// The body, or the fields of the query without `since`, sorted: what watchers must have in common to share their events. No
  /// query that can be read is like a body.
  private static func sharedFields(_ request: HTTPRequest) -> String {
    if request.method == .post {
      return request.body.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
    return (request.query ?? "").parts(separatedBy: UInt8(ascii: "&")).filter { part in
      !part.isEmpty && !part.parts(separatedBy: UInt8(ascii: "="), atMost: 1)[0].isSame(as: "since")
    }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.joined(separator: "&")
  }
}

extension WatchedTiles.Request {
  /// Reads the tiles to watch, and their options.
  init(_ fields: Fields) throws {
    guard let zoom = try fields.integer("zoom", in: Tile.zooms),
      let tile = Tile(zoom: zoom, x: 0, y: 0)
    else { throw fields.problem("zoom", "no zoom: that of the tiles is required") }
    self.tile = try TileRequest(tile, .vectorTile, fields)
    var values = ViewportValues()
    let isPart = ViewportField.fields(of: .rect).contains { fields.has($0.name) }
    area =
      isPart
      ? GridRange(
        grid: CellGrid(cellsPerWorld: 1 << zoom), covering: try fields.rect(into: &values)) : nil
  }
}
