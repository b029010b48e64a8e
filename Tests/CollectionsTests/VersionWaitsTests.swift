import Glibc
import TestSupport
import Testing
import Threading

@testable import Collections

/// The bounds of waits for versions, and how waits end.
@Suite(.timeLimit(.minutes(5))) struct VersionWaitsTests {
  /// How waits ended, by number.
  private final class Ends: Sendable {
    private let ends = Locked<[Int: [VersionWaits.End]]>([:])

    func add(_ number: Int, _ end: VersionWaits.End) {
      ends.withLock { $0[number, default: []].append(end) }
    }

    /// The numbers of the waits that ended in some way; each ends once.
    func numbers(_ end: VersionWaits.End) -> [Int] {
      let all = ends.value
      #expect(all.values.allSatisfy { $0.count == 1 })
      return all.filter { $0.value == [end] }.keys.sorted()
    }

    var count: Int { ends.value.count }

    /// Waits until so many have ended.
    func reach(_ count: Int) async throws {
      for _ in 0..<3000 where self.count < count { try await Task.sleep(for: .milliseconds(10)) }
      #expect(self.count == count)
    }
  }

  private static func wait(
    _ number: Int, for version: Int64 = 5, of collection: String = "c", by client: UInt64 = 0,
    tenantID: ObjectIdentifier? = nil, seconds: Double = 600,
    isAbandoned: @escaping @Sendable () -> Bool = { false },
    refresh: (@Sendable () -> Void)? = nil, _ ends: Ends
  ) -> VersionWaits.Wait {
    VersionWaits.Wait(
      collection: collection, tenantID: tenantID, version: version, client: client,
      deadline: MonotonicTime.now + UInt(seconds * 1e9), isAbandoned: isAbandoned, refresh: refresh
    ) { ends.add(number, $0) }
  }

  @Test func `a wait ends at its version or a later one, of its collection`() throws {
    let (waits, ends) = (VersionWaits(), Ends())
    for number in 1...9 { try waits.add(Self.wait(number, for: Int64(number), ends)) }
    try waits.add(Self.wait(10, for: 1, of: "d", ends))
    waits.show(3, of: "c")
    waits.show(2, of: "c")
    waits.show(99, of: "e")
    #expect(ends.numbers(.shown) == [1, 2, 3])
    waits.show(8, of: "c")
    waits.show(1, of: "d")
    #expect(ends.numbers(.shown) == [1, 2, 3, 4, 5, 6, 7, 8, 10])
    #expect(waits.figures.waiting == 1 && waits.figures.shown == 9)
    waits.close()
    #expect(ends.numbers(.stopping) == [9] && waits.figures.waiting == 0)
    #expect(throws: VersionWaits.Failure.stopping) { try waits.add(Self.wait(11, ends)) }
    #expect(ends.count == 10)
  }

  @Test func `what a tenant waits for is looked at once for all`() throws {
    final class Owner: Sendable {}
    let (waits, ends, owners) = (VersionWaits(), Ends(), [Owner(), Owner()])
    let looks = Locked<[Int]>([])
    for number in 0..<6 {
      let owner = number % 2
      try waits.add(
        Self.wait(
          number, tenantID: ObjectIdentifier(owners[owner]),
          refresh: { looks.withLock { $0.append(owner) } }, ends))
    }
    waits.show(100, of: "c")
    #expect(looks.value.sorted() == [0, 1] && ends.count == 0)
    waits.show(4, of: "c", to: ObjectIdentifier(owners[0]))
    waits.show(5, of: "c", to: ObjectIdentifier(owners[1]))
    #expect(ends.numbers(.shown) == [1, 3, 5] && looks.value.count == 2)
  }

  @Test func `time runs out, and clients go`() async throws {
    let (waits, ends, hasGone) = (VersionWaits(), Ends(), Locked(false))
    let start = MonotonicTime.now
    for number in 0..<20 { try waits.add(Self.wait(number, seconds: 0.3, ends)) }
    for number in 20..<30 {
      try waits.add(Self.wait(number, isAbandoned: { hasGone.value }, ends))
    }
    try await ends.reach(20)
    #expect(MonotonicTime.now - start >= 300_000_000)
    #expect(ends.numbers(.late) == Array(0..<20) && waits.figures.late == 20)
    hasGone.withLock { $0 = true }
    try await ends.reach(30)
    #expect(ends.numbers(.abandoned) == Array(20..<30) && waits.figures.waiting == 0)
    // The timer begins again with the next one.
    try waits.add(Self.wait(30, seconds: 0.01, ends))
    try await ends.reach(31)
    #expect(ends.numbers(.late).last == 30)
  }

  @Test func `places are shared out by address`() throws {
    let limits = VersionWaits.Limits(places: 6, placesOfAddress: 4)
    let (waits, ends) = (VersionWaits(limits: limits), Ends())
    func failure(_ number: Int, by client: UInt64) -> VersionWaits.Failure? {
      do { try waits.add(Self.wait(number, by: client, ends)) } catch { return error }
      return nil
    }
    #expect((1...5).map { failure($0, by: 1) } == [nil, nil, nil, nil, .addressShare(4)])
    #expect((6...7).map { failure($0, by: 2) } == [nil, nil])
    // Others come before the newest of whoever has most, until all have about as much.
    #expect(failure(8, by: 3) == nil && ends.numbers(.refused) == [4])
    #expect(failure(9, by: 3) == nil && ends.numbers(.refused) == [3, 4])
    #expect((10...12).map { failure($0, by: UInt64($0 - 9)) } == [.full(6), .full(6), .full(6)])
    #expect(failure(13, by: 4) == nil && ends.count == 3 && waits.figures.waiting == 6)
    waits.show(9, of: "c")
    #expect(ends.count == 9 && waits.figures.waiting == 0)
    #expect((14...17).map { failure($0, by: 1) } == [nil, nil, nil, nil])
    waits.close()
  }

  /// Whatever comes at the same time, each wait ends once, and none is forgotten.
  @Test(arguments: Seeds.each(1...2))
  func `each wait ends once`(seed: UInt64) async throws {
    let limits = VersionWaits.Limits(places: 60, placesOfAddress: 30)
    let (waits, ends) = (VersionWaits(limits: limits), Ends())
    let (version, accepted) = (Locked<Int64>(0), Locked(0))
    await withTaskGroup { group in
      for worker in 0..<4 {
        group.addTask {
          var generator = SeededGenerator(seed: seed &* 100 &+ UInt64(worker))
          for round in 0..<1500 {
            if generator.chance(0.4) {
              let shown = version.withLock { version in
                version += 1
                return version
              }
              waits.show(shown, of: "c")
            }
            let wanted = version.value + Int64(generator.int(0...6))
            let wait = Self.wait(
              worker * 10_000 + round, for: wanted, by: UInt64(generator.int(0...3)),
              seconds: generator.chance(0.2) ? 0.001 : 600, ends)
            guard (try? waits.add(wait)) != nil else { continue }
            accepted.withLock { $0 += 1 }
            // As whoever waits does: it may have been shown before.
            waits.show(version.value, of: "c")
          }
        }
      }
    }
    waits.show(version.value + 100, of: "c")
    try await ends.reach(accepted.value)
    #expect(waits.figures.waiting == 0 && ends.numbers(.stopping).isEmpty)
    #expect(ends.numbers(.shown).count > 1000)
  }
}
