/// Finds which of some numbered coordinates are almost equal to another one, longitudes modulo 360.
struct CoordinateLookup {
  private struct Bucket: Hashable {
    var row: Int
    var column: Int
  }

  /// The size of a bucket in degrees, larger than any tolerance.
  private static let size = 1e-6
  private static let columns = 360_000_000
  private var buckets: [Bucket: [(number: Int, coordinate: Coordinate)]] = [:]

  /// - Parameter coordinates: Coordinates by ascending numbers. Longitudes may be beyond ±180.
  init(_ coordinates: some Sequence<(Int, Coordinate)>) {
    for (number, coordinate) in coordinates {
      buckets[CoordinateLookup.bucket(of: coordinate), default: []].append((number, coordinate))
    }
  }

  private static func bucket(of coordinate: Coordinate) -> Bucket {
    let longitude = Geodesy.normalisedLongitude(coordinate.longitude)
    return Bucket(
      row: Int((coordinate.latitude / size).rounded(.down)),
      column: Int((longitude / size).rounded(.down)))
  }

  /// The numbers of the coordinates that differ by at most `tolerance` degrees, less than 1e-6, in
  /// latitude and longitude, in ascending order.
  func numbers(within tolerance: Double, of coordinate: Coordinate) -> [Int] {
    var found: [Int] = []
    let centre = CoordinateLookup.bucket(of: coordinate)
    let west = -CoordinateLookup.columns / 2
    for row in centre.row - 1...centre.row + 1 {
      for column in centre.column - 1...centre.column + 1 {
        let turned = (column - west + CoordinateLookup.columns) % CoordinateLookup.columns + west
        for (number, other) in buckets[Bucket(row: row, column: turned)] ?? [] {
          let turn = (other.longitude - coordinate.longitude).magnitude
            .truncatingRemainder(dividingBy: 360)
          if (other.latitude - coordinate.latitude).magnitude <= tolerance,
            min(turn, 360 - turn) <= tolerance
          {
            found.append(number)
          }
        }
      }
    }
    return found.sorted()
  }
}
