import ClusterCore
import Glibc
import HTTPServer

/// Measures vector tiles that are asked for the first time, zoom by zoom, over a large collection.
struct TileBenchmark {
  private static let tilesOfZoom = 40
  /// All properties, so that pins carry what they do by default.
  private static let properties = SamplePlace.names.joined(separator: ",")

  private let service: InProcess
  private let count: Int

  /// Opens a data directory that holds a large collection of ``SamplePlace``s.
  init(directory: String) throws {
    service = try InProcess(directory: directory)
    count = try service.body("/collections/c").sum(of: "\"featureCount\":")
  }

  func run() throws {
    var dense = [try tile(0, 0, 0)]
    for zoom in Tile.zooms {
      if zoom > 0 { dense = try denser(dense) }
      if (1...2).contains(zoom) { try checkCounts(zoom) }
      var tiles = dense
      for number in 0..<TileBenchmark.tilesOfZoom - dense.count {
        let id = 1 + number * 7919 % count
        tiles.append(
          Tile(zoom: zoom, holding: WebMercator.project(try service.coordinate(of: id))))
      }
      try measure(tiles, zoom)
    }
  }

  private func tile(_ zoom: Int, _ x: Int, _ y: Int) throws -> Tile {
    guard let tile = Tile(zoom: zoom, x: x, y: y) else {
      throw Failure("there is no tile \(zoom)/\(x)/\(y)")
    }
    return tile
  }

  private func target(_ tile: Tile, _ form: String = "", number: Int = 0) -> String {
    // A property that isn't there makes the tile one that was not asked for before.
    "/collections/c/tiles/\(tile.zoom)/\(tile.x)/\(tile.y)\(form)"
      + "?properties=\(TileBenchmark.properties),none\(number)"
  }

  private func features(_ tile: Tile) throws -> Int {
    try service.body(target(tile, ".geojson")).sum(of: "\"featureCount\":")
  }

  /// The tiles of the next zoom with most features, of those within some tiles.
  private func denser(_ tiles: [Tile]) throws -> [Tile] {
    var found: [(tile: Tile, count: Int)] = []
    for parent in tiles {
      for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let child = try tile(parent.zoom + 1, 2 * parent.x + x, 2 * parent.y + y)
        found.append((child, try features(child)))
      }
    }
    return found.sorted { $0.count > $1.count }.prefix(5).map(\.tile)
  }

  /// Checks that the tiles of a zoom hold each feature once.
  private func checkCounts(_ zoom: Int) throws {
    var total = 0
    for x in 0..<1 << zoom {
      for y in 0..<1 << zoom { total += try features(tile(zoom, x, y)) }
    }
    try ensure(total == count, "the tiles of zoom \(zoom) hold \(total) features")
  }

  private func measure(_ tiles: [Tile], _ zoom: Int) throws {
    var (times, bytes): ([Double], Int) = ([], 0)
    for (number, tile) in tiles.enumerated() {
      times.append(
        try (1...3).map { round in
          let request = HTTPRequest(target(tile, number: 10 * number + round))
          return try seconds { bytes += try service.answer(request).body.count }
        }.median)
    }
    row(
      "a cold tile of zoom \(zoom), dense and random places", duration(times.max() ?? 0),
      "the slowest of \(tiles.count); median \(duration(times.median)), \(bytes / tiles.count / 3) bytes; "
        + "\(tiles[0].zoom)/\(tiles[0].x)/\(tiles[0].y) has most features: \(duration(times[0]))")
  }

  /// Prints requests for tiles of Europe as a map of several zooms asks for them, one on each line. Equal seeds
  /// give equal requests.
  static func printRequests(count: Int, seed: UInt64) {
    var synthetic = Synthetic(seed: seed)
    for _ in 0..<count {
      let zoom = 3 + Int(synthetic.uniform() * 5)
      let place = Coordinate(
        latitude: 38 + synthetic.uniform() * 20, longitude: -8 + synthetic.uniform() * 36)
      let tile = Tile(zoom: zoom, holding: WebMercator.project(place))
      print("/collections/c/tiles/\(zoom)/\(tile.x)/\(tile.y)")
    }
  }
}
