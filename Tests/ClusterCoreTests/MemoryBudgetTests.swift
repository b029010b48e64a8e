import TestSupport
import Testing

@testable import ClusterCore

/// The memory of the caches of many collections.
@Suite(.timeLimit(.minutes(5))) struct MemoryBudgetTests {
  private typealias Cache = VersionCache<Int, Int>

  /// A cache whose values cost what they are.
  private func cache(in budget: MemoryBudget, forFeatures bytes: Int = 0) -> Cache {
    VersionCache(capacity: CacheCapacity(common: 400, forFeatures: bytes), in: budget) { $1 }
  }

  @Test(arguments: Seeds.each(1...4))
  func `what caches take together stays within the limit`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let budget = MemoryBudget(limit: 1000)
    var caches: [Cache] = []
    /// Versions that slow readers still have.
    var earlier: [Cache] = []
    var largest = 0
    for _ in 0..<5000 {
      switch Int.random(in: 0..<20, using: &generator) {
      case 0: caches.append(cache(in: budget, forFeatures: .random(in: 0...100, using: &generator)))
      case 1: if caches.count > 5 { caches.remove(at: .random(in: 0..<3, using: &generator)) }
      case 2: earlier = []
      case 3...6:
        guard let number = caches.indices.randomElement(using: &generator) else { continue }
        earlier.append(caches[number])
        caches[number] = caches[number].next(capacity: CacheCapacity(common: 300)) { values in
          values.map { $0.key % 3 == 0 ? nil : $0.key % 3 == 1 ? .stale($0.value) : .current(60) }
        }
      default:
        guard let cache = caches.randomElement(using: &generator) else { continue }
        let (key, cost) = (
          Int.random(in: 0..<30, using: &generator), Int.random(in: 1...150, using: &generator)
        )
        let known = cache.existing(key)
        #expect(cache.value(for: key) { _ in cost } == known ?? cost)
        #expect(cache.existing(key) == known ?? cost)
        // Versions count what they have in common once each, until a value is built.
        if known == nil { #expect(budget.byteCount <= 1000) }
      }
      let alive = caches + earlier
      // All that is known of them, counted anew.
      let forFeatures = alive.reduce(0) { $0 + $1.capacity.forFeatures }
      #expect(budget.byteCount == alive.reduce(0) { $0 + $1.byteCount } - forFeatures)
      largest = max(largest, budget.byteCount)
    }
    #expect(largest > 900)
    (caches, earlier) = ([], [])
    #expect(budget.byteCount == 0)
  }

  @Test func `what is used stays, however many others are filled once`() {
    let budget = MemoryBudget(limit: 1000)
    let used = cache(in: budget)
    var (built, others) = (0, [Cache]())
    for number in 0..<500 {
      _ = used.value(for: number % 3) { _ in
        built += 1
        return 100
      }
      others.append(cache(in: budget))
      for key in 0..<3 { _ = others[number].value(for: key) { _ in 50 } }
      #expect(budget.byteCount <= 1000)
    }
    #expect(built == 3)
    #expect(others.filter { $0.byteCount > 0 }.count <= 5 && others[499].byteCount == 150)
  }
}
