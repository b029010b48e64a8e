import Testing

@testable import Collections

/// The memory of writes that wait, and how clients share it.
@Suite(.timeLimit(.minutes(5))) struct WriteMemoryTests {
  @Test func `the memory of writes that wait is bounded`() throws {
    let limits = WriteLimits()
    let memory = WriteMemory(limits)
    let (all, own) = (limits.waitingBytes, limits.clientBytes)
    // One client has a share.
    let first = memory.share(of: own / 2, for: 1)
    #expect(memory.share(of: own / 2, for: 1) == nil)
    #expect(first?.resize(to: own) == false && first?.resize(to: own / 2 + 4096) == true)
    // Others have what is left, but for a quarter of all.
    let rest = all * 3 / 4 - own / 2 - 4096
    #expect(memory.share(of: rest, for: 2) == nil)
    var second = memory.share(of: rest - 2 * 8192, for: 2)
    #expect(second != nil && second?.resize(to: rest) == false)
    // What is given back is there for others, once.
    second?.giveBack()
    let third = memory.share(of: rest - 2 * 8192, for: 3)
    second = nil
    #expect(third != nil && memory.share(of: rest - 2 * 8192, for: 2) == nil)
  }

  @Test func `a body of any size has room for its text and its features`() throws {
    var limits = WriteLimits()
    for bytes in [1 << 20, 64 << 20, 200 << 20] {
      limits.bodyBytes = bytes
      let memory = WriteMemory(limits)
      let text = try #require(memory.share(of: bytes - 4096, for: 1))
      let features = try #require(memory.share(of: 0, for: 1))
      #expect(features.resize(to: limits.decodedBytes) && !features.resize(to: limits.clientBytes))
      text.giveBack()
      #expect(features.resize(to: limits.clientBytes - 4096))
    }
  }

  @Test func `however many writers are greedy, a newcomer finds room`() {
    let memory = WriteMemory(WriteLimits())
    var kept: [WriteMemory.Share] = []
    for client in 1...30 as ClosedRange<UInt64> {
      var size = WriteLimits().clientBytes
      while size > 4096 {
        if let share = memory.share(of: size, for: client) { kept.append(share) } else { size /= 2 }
      }
    }
    #expect(kept.count > 30)
    #expect(memory.share(of: 2 << 20, for: 31) == nil)
    #expect(
      (40..<100).allSatisfy { client in
        memory.share(of: 1_000_000, for: client).map { kept.append($0) } != nil
      })
  }
}
