import Threading

/// The remaining work that a request may do, in units of about a nanosecond. It is spent when the request's
/// thread must stop; see ``Cancellation``.
struct WorkBudget {
  private(set) var left: Int
  /// The remaining work at which the thread next looks whether it must stop.
  private var next: Int
  private static let interval = 20_000

  /// The default budget: about an eighth of a second, or up to twice that if memory is slow.
  static let standard = 120_000_000
  /// The work of visiting a node or a pair of nodes.
  static let node = 25
  /// The work of comparing two features by their coordinates.
  static let exactTest = 45

  init(_ units: Int) { (left, next) = (units, units - WorkBudget.interval) }

  var isSpent: Bool { left < 0 }

  @inline(__always)
  mutating func spend(_ units: Int) {
    left &-= units
    if left < next { look() }
  }

  @inline(never)
  private mutating func look() {
    if Cancellation.poll(next &+ WorkBudget.interval &- left) { left = -1 }
    next = left &- WorkBudget.interval
  }
}

/// The limit that a method without a grid exceeded.
enum MethodLimit: Error, Equatable {
  /// There are more annotations than the limit: at least this many.
  case annotations(Int)
  /// The features are so many and so close together that the method would take too long.
  case work
  case memory
}
