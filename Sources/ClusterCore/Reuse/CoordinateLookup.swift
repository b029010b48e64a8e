/// Finds those of some numbered coordinates that are all but the same as another, longitudes modulo
/// 360.
struct CoordinateLookup {
  private struct Bucket: Hashable {
    var row: Int
    var column: Int
  }

  /// Degrees: more than a tolerance.
  private static let size = 1e-6
  private static let columns = 360_000_000
  private var buckets: [Bucket: [(number: Int, coordinate: Coordinate)]] = [:]

  /// - Parameter coordinates: by ascending numbers; their longitudes may be beyond ±180, within reason.
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

  /// The numbers of the coordinates no further away than `tolerance` degrees, which is less than
  /// 1e-6, in latitude and in longitude; ascending.
  func places(within tolerance: Double, of coordinate: Coordinate) -> [Int] {
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
