import Synchronization
import Threading

/// The memory that several caches may take together, and the order in which they give it back: those used least recently
/// first.
public final class MemoryBudget: Sendable {
  private struct Member { weak var cache: (any Evictable)? }

  /// The most bytes.
  public let limit: Int
  private let taken = Atomic<Int>(0)
  private let clock = Atomic<Int>(0)
  private let members = Locked<[ObjectIdentifier: Member]>([:])
  private let isMakingRoom = Atomic<Bool>(false)

  /// Creates a budget of which nothing is taken.
  public init(limit: Int) { self.limit = limit }

  /// The bytes that are taken. They may exceed the limit a little for a moment.
  public var byteCount: Int { taken.load(ordering: .relaxed) }

  /// A clock for the age of caches. Whoever uses the budget advances it.
  public var time: Int { clock.load(ordering: .relaxed) }

  /// Advances the clock, and returns its new time.
  @discardableResult public func tick() -> Int { clock.add(1, ordering: .relaxed).newValue }

  /// Counts bytes that are taken, or freed if there are less than zero.
  public func add(_ bytes: Int) { taken.add(bytes, ordering: .relaxed) }

  /// Adds a cache, until ``remove(_:)``.
  public func register(_ cache: any Evictable) {
    members.withLock { $0[ObjectIdentifier(cache)] = Member(cache: cache) }
  }

  /// Removes a cache that is about to be freed.
  public func remove(_ cache: any Evictable) {
    members.withLock { $0[ObjectIdentifier(cache)] = nil }
  }

  /// Empties the caches used least recently if too much is taken, and half of the one used last.
  ///
  /// - Complexity: O(caches × log caches), at most once in an eighth of the memory.
  public func makeRoom() {
    guard byteCount > limit, !isMakingRoom.exchange(true, ordering: .acquiring) else { return }
    defer { isMakingRoom.store(false, ordering: .releasing) }
    let caches = members.withLock { $0.values.compactMap(\.cache) }.map { ($0.lastUse, $0) }
      .sorted { $0.0 < $1.0 }
    for (number, cache) in caches.enumerated() where byteCount > limit / 8 * 7 {
      cache.1.evict(half: number == caches.count - 1)
    }
  }
}

/// A cache, or a part of one, whose values can be made again.
public protocol Evictable: AnyObject, Sendable {
  /// The time of the last use, in ``MemoryBudget/time``.
  var lastUse: Int { get }

  /// Frees all values that nobody uses at the moment, or about half of them.
  func evict(half: Bool)
}
