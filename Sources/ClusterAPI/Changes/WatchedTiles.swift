import ClusterCore
import Collections
import GeoFormats
import Threading

/// The tiles of a zoom whose content has changed.
///
/// A tile's content depends on the features in it alone, so only tiles that hold changed coordinates can have
/// changed. As far as that is quick, they are encoded, and those that are the same as when they were last
/// encoded are left out. The others are only reported as possibly changed. That is right after several
/// changes, too: a tile may be as it was, and yet a client may have fetched it between two of them.
final class WatchedTiles: Watched {
  /// The watched tiles: those of a zoom, all of them or those of an area.
  struct Request: Sendable {
    /// Any tile of the zoom.
    let tile: TileRequest
    /// Nil for the world.
    let area: GridRange?
  }

  private let request: Request
  private let log: InvalidationLog
  /// The hashes of tiles as they are now, of those that have been encoded.
  private var known: [Tile: Int] = [:]
  private(set) var isKnown = false
  private(set) var version: Int64 = 0

  /// The most tiles of an event.
  static let mostListed = 1000
  /// The most tiles that are encoded for an update, and the time that this may take, in nanoseconds.
  private static let (mostEncoded, mostTime): (Int, UInt) = (64, 20_000_000)
  /// The most hashes that are kept.
  private static let mostKnown = 10_000

  init(_ request: Request, _ log: InvalidationLog) { (self.request, self.log) = (request, log) }

  var byteCount: Int { known.count * 96 }

  func reset() { (known, isKnown, version) = ([:], false, 0) }

  func update(
    to snapshot: CollectionSnapshot, invalidated: [Coordinate]?, wantsView: Bool
  ) throws -> WatchedUpdate {
    if !isKnown { try snapshot.collection.check(properties: request.tile.properties) }
    let everything = event(nil, snapshot)
    var update = WatchedUpdate(view: wantsView ? everything : nil)
    if isKnown, version != snapshot.info.version {
      if let tiles = invalidated.flatMap({ tiles(holding: $0) }) {
        let changed = try tiles.isEmpty ? [] : changed(of: tiles, in: snapshot)
        if !changed.isEmpty { update.changes = event(changed, snapshot) }
      } else {
        known = [:]
        update.changes = everything
      }
    }
    (isKnown, version) = (true, snapshot.info.version)
    return update
  }

  func missed(invalidated: [Coordinate], in snapshot: CollectionSnapshot) -> WatchedMissed {
    guard let tiles = tiles(holding: invalidated) else { return .everything }
    return tiles.isEmpty ? .nothing : .event(event(tiles, snapshot))
  }

  // MARK: Tiles

  /// The tiles that hold some coordinates, in order; nil if there are too many to list, or if a
  /// write may change tiles elsewhere.
  private func tiles(holding coordinates: [Coordinate]) -> [Tile]? {
    guard case .grid(let viewport, _) = request.tile.viewport.area,
      !request.tile.viewport.needs.contains(.others)
    else { return nil }
    let level = TileKey.Level(request.tile.tile, viewport)
    var found: Set<Tile> = []
    for coordinate in coordinates where found.count <= WatchedTiles.mostListed {
      level.forEachPlace(of: [WebMercator.project(coordinate)]) { place in
        let cell = CellPosition(column: place.x, row: place.y)
        guard request.area?.contains(cell) ?? true,
          let tile = Tile(zoom: level.zoom, x: place.x, y: place.y)
        else { return }
        found.insert(tile)
      }
    }
    guard found.count <= WatchedTiles.mostListed else { return nil }
    return found.sorted { ($0.y, $0.x) < ($1.y, $1.x) }
  }

  /// Those of some tiles whose content may have changed since they were encoded last.
  private func changed(of tiles: [Tile], in snapshot: CollectionSnapshot) throws -> [Tile] {
    let template = request.tile.resolved(by: snapshot.info.temporal)
    if known.count > WatchedTiles.mostKnown { known = [:] }
    let isOneChange = log.changeCount(after: version) == 1
    var (number, time): (Int, UInt) = (0, 0)
    return try tiles.filter { tile in
      let asked = try template.moved(to: tile)
      let before = known.removeValue(forKey: tile)
      number += 1
      guard number <= WatchedTiles.mostEncoded, time < WatchedTiles.mostTime else { return true }
      let (made, used) = Cancellation.measure(atMost: WatchedTiles.mostTime - time) {
        try? RememberedTile(asked, snapshot).content()
      }
      time += used
      // A tile with too much in it can't be compared, nor one that was given up.
      guard let content = made ?? nil else { return true }
      let hash = (content.body?.bytes ?? []).hashValue
      known[tile] = hash
      return hash != before || !isOneChange
    }
  }

  // MARK: Events

  /// The event with tiles that have changed; nil for all.
  private func event(_ tiles: [Tile]?, _ snapshot: CollectionSnapshot) -> [UInt8] {
    var json = JSONWriter(reserving: 128 + 32 * (tiles?.count ?? 0))
    json.object { json in
      json.member("version", snapshot.info.version)
      json.member("zoom", request.tile.tile.zoom)
      guard let tiles else { return json.member("all", true) }
      json.array("tiles") { json in
        for tile in tiles {
          json.write(["z": .integer(tile.zoom), "x": .integer(tile.x), "y": .integer(tile.y)])
        }
      }
    }
    return EventText.event("tiles", version: snapshot.info.version, json)
  }
}
