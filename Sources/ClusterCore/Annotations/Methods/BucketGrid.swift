/// A grid of buckets slightly larger than a box, so that overlapping boxes are in neighbouring buckets.
/// The last bucket of a row or column includes the remainder of the world, so that none is smaller.
struct BucketGrid {
  private let width: UInt32
  private let height: UInt32
  private let columns: Int
  private let rows: Int

  init(_ overlap: BoxOverlap) {
    (width, columns) = BucketGrid.divide(overlap.stepWidth)
    (height, rows) = BucketGrid.divide(overlap.stepHeight)
  }

  private static func divide(_ steps: Double) -> (size: UInt32, count: Int) {
    // Two steps more, because distances between positions are off by at most that much.
    let size = UInt32(min(steps.rounded(.up) + 2, Double(UInt32.max)))
    return (size, max(1, PeriodicSteps.world / Int(size)))
  }

  @inline(__always)
  func bucket(of position: Position) -> UInt64 {
    let (column, row) = bucketCell(of: position)
    return UInt64(truncatingIfNeeded: row &* columns &+ column)
  }

  @inline(__always)
  private func bucketCell(of position: Position) -> (column: Int, row: Int) {
    (min(Int(position.x / width), columns &- 1), min(Int(position.y / height), rows &- 1))
  }

  /// The bucket of a position and its up to eight neighbours, each once.
  func neighbourhood(of position: Position) -> [UInt64] {
    let (column, row) = bucketCell(of: position)
    var around: [Int] = [column]
    for next in [(column + 1) % columns, (column + columns - 1) % columns]
    where !around.contains(next) { around.append(next) }
    return (max(0, row - 1)...min(rows - 1, row + 1)).flatMap { row in
      around.map { UInt64(row * columns + $0) }
    }
  }
}
