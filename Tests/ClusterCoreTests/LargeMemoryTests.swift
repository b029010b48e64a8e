import Testing

@testable import ClusterCore

@Suite(.timeLimit(.minutes(5))) struct LargeMemoryTests {
  @Test func `large allocations are cut from the reserve and outlive it`() throws {
    let size = 6 << 20
    let kept = try #require(
      LargeMemory.withReserve(3 * size) {
        // The last one doesn't fit beside the others, the small one is none of the reserve's matter.
        [size, size - 1, 100, size, size].map { LargeMemory(byteCount: $0) }
      })
    #expect(kept[1].start == kept[0].start + size && kept[3].start == kept[1].start + size)
    for memory in kept {
      memory.start.initializeMemory(as: UInt8.self, repeating: 7, count: memory.byteCount)
    }
    #expect(kept.allSatisfy { $0.start.load(as: UInt8.self) == 7 })
  }

  @Test func `a reserve within another is its own, and the outer one is used again after it`() {
    let size = 6 << 20
    let starts = LargeMemory.withReserve(2 * size) {
      let first = LargeMemory(byteCount: size)
      let inner = LargeMemory.withReserve(size) { LargeMemory(byteCount: size) }
      let last = LargeMemory(byteCount: size)
      return [first, last].map(\.start) + [inner?.start].compactMap(\.self)
    }
    #expect(starts?.count == 3 && starts?[1] == starts.map { $0[0] + size })
  }

  @Test func `more than there is makes no call`() {
    var wasCalled = false
    #expect(LargeMemory.withReserve(1 << 60) { wasCalled = true } == nil)
    #expect(!wasCalled)
    #expect(throws: ImpossibleRequest.self) {
      try ImpossibleRequest.withMemory(of: 1 << 60) { wasCalled = true }
    }
    #expect(!wasCalled)
    #expect(LargeMemory.isAvailable(1 << 20) && !LargeMemory.isAvailable(1 << 60))
  }
}
