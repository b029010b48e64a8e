/// The work that one request may still do, in units of about a nanosecond.
struct WorkBudget {
  private(set) var left: Int

  /// About an eighth of a second, and up to twice that where memory is slow.
  static let standard = 120_000_000
  /// Looking at a node or a pair of nodes.
  static let node = 25
  /// Comparing two features by their coordinates.
  static let exactTest = 45

  init(_ units: Int) { left = units }

  var isSpent: Bool { left < 0 }

  @inline(__always)
  mutating func spend(_ units: Int) { left &-= units }
}
