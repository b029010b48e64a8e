/// Why one of the methods without a grid gave up.
enum MethodLimit: Error, Equatable {
  /// There are more annotations than its limit: as many, or at least as many.
  case annotations(Int)
  /// It would take longer than is allowed: the features are too many and too awkwardly placed.
  case work
}

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
