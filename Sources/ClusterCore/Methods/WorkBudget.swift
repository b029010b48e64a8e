/// The remaining work that a request may do, in units of about a nanosecond.
struct WorkBudget {
  private(set) var left: Int

  /// The default budget: about an eighth of a second, or up to twice that if memory is slow.
  static let standard = 120_000_000
  /// The work of visiting a node or a pair of nodes.
  static let node = 25
  /// The work of comparing two features by their coordinates.
  static let exactTest = 45

  init(_ units: Int) { left = units }

  var isSpent: Bool { left < 0 }

  @inline(__always)
  mutating func spend(_ units: Int) { left &-= units }
}
