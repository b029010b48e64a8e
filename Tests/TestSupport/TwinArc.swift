import ClusterCore

/// The arc of longitudes that some features lie on.
public struct TwinArc: Sendable {
  /// Its western end, in −180..<180.
  public let west: Double
  /// Its eastern end, in −180..<180: less than the western one if it crosses the antimeridian.
  public let east: Double
  /// The mean of the longitudes along it, in −180..<180.
  public let mean: Double

  /// The arcs that are as short as can be, but for rounding; the one across the antimeridian not
  /// before another as short.
  public static func shortest(over longitudes: [Double]) -> [TwinArc] {
    let sorted = longitudes.map { $0 == 180 ? -180 : $0 }.sorted()
    guard let first = sorted.first, let last = sorted.last else { return [] }
    let count = Double(sorted.count)
    let sum = sorted.reduce(0, +)
    // An arc begins after a gap; the one that begins with the first doesn't cross.
    var candidates = [
      (gap: first + 360 - last, arc: TwinArc(west: first, east: last, mean: sum / count))
    ]
    for (index, (a, b)) in zip(sorted, sorted.dropFirst()).enumerated() where b > a {
      var mean = (sum + 360 * Double(index + 1)) / count
      if mean >= 180 { mean -= 360 }
      candidates.append((b - a, TwinArc(west: b, east: a, mean: mean)))
    }
    let widest = candidates.map(\.gap).max() ?? 0
    return candidates.filter { $0.gap >= widest - 1e-9 }.map(\.arc)
  }
}
