/// A cache, or a part of one, whose values can be made again.
public protocol Evictable: AnyObject, Sendable {
  /// The time of the last use, in ``MemoryBudget/time``.
  var lastUse: Int { get }

  /// Frees all values that nobody uses at the moment, or about half of them.
  func evict(half: Bool)
}
