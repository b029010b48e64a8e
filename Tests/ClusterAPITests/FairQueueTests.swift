import TestSupport
import Testing

@testable import ClusterAPI

/// What waits is taken client by client, in the order of each client's own, up to the limits.
@Suite(.timeLimit(.minutes(5))) struct FairQueueTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `the next is the oldest of the client that has waited longest for its turn`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var queue = FairQueue<Int>(capacity: 40, share: 12)
    // The elements of each client, in the order of their turns.
    var wanted: [(client: UInt64, elements: [Int])] = []
    var full = 0
    var exceeded = 0
    for number in 0..<5000 {
      if generator.chance(0.55) {
        let client = UInt64(generator.int(0...6))
        let own = wanted.first { $0.client == client }?.elements.count ?? 0
        switch queue.append(number, of: client) {
        case nil:
          #expect(own < 12 && wanted.reduce(0) { $0 + $1.elements.count } < 40)
          if let index = wanted.firstIndex(where: { $0.client == client }) {
            wanted[index].elements.append(number)
          } else {
            wanted.append((client, [number]))
          }
        case .full:
          full += 1
          #expect(queue.count == 40)
        case .shareExceeded:
          exceeded += 1
          #expect(own == 12)
        }
      } else {
        let next = wanted.first
        #expect(queue.popFirst() == next?.elements.first)
        guard var next else { continue }
        wanted.removeFirst()
        next.elements.removeFirst()
        if !next.elements.isEmpty { wanted.append(next) }
      }
      #expect(queue.count == wanted.reduce(0) { $0 + $1.elements.count })
    }
    #expect(full > 0 && exceeded > 0)
  }
}
