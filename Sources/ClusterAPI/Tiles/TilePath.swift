import ClusterCore

/// Which tile a path asks for, and of which type.
struct TilePath {
  let tile: Tile
  /// Nil if the path tells none.
  let type: MediaType?

  /// The types by the ends of paths.
  // Characters: names of types, of small letters
  private static let types: [String: MediaType] = [
    ".mvt": .vectorTile, ".pbf": .vectorTile, ".geojson": .geoJSON,
  ]

  /// - Parameters:
  ///   - last: a number that a type may follow.
  ///   - isRowFirst: whether y comes before x.
  /// - Throws: ``Problem`` 404 if there is no such tile.
  init(
    _ zoom: String, _ second: String, _ last: String, isRowFirst: Bool = false
  ) throws(Problem) {
    let end = last.utf8.firstIndex(of: UInt8(ascii: ".")) ?? last.utf8.endIndex
    type = end == last.utf8.endIndex ? nil : TilePath.types[String(last[end...])]
    guard type != nil || end == last.utf8.endIndex, let zoom = TilePath.number(zoom.utf8),
      let first = TilePath.number(second.utf8), let second = TilePath.number(last.utf8[..<end]),
      let tile = Tile(
        zoom: zoom, x: isRowFirst ? second : first, y: isRowFirst ? first : second)
    else {
      throw Problem.notFound(
        "there is no such tile: zooms are 0…24, x and y are whole numbers below 2^zoom")
    }
    self.tile = tile
  }

  /// A number of digits alone, and not too many for a tile's.
  private static func number(_ text: some Collection<UInt8>) -> Int? {
    var number = 0
    for byte in text {
      let digit = byte &- UInt8(ascii: "0")
      guard digit < 10, number < 1 << 32 else { return nil }
      number = number * 10 + Int(digit)
    }
    return text.isEmpty ? nil : number
  }
}
