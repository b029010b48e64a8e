import TestSupport
import Testing

@testable import ClusterAPI

/// What waits is taken client by client, in the order of each client's own; a full queue gives up what a client
/// with most of it has put in last.
@Suite(.timeLimit(.minutes(5))) struct FairQueueTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `the next is the oldest of the client that has waited longest for its turn`(
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    var queue = FairQueue<Int>(capacity: 40)
    // The elements of each client, in the order of their turns.
    var wanted: [(client: UInt64, elements: [Int])] = []
    var (ownRefusals, others) = (0, 0)
    for number in 0..<5000 {
      if generator.chance(0.55) {
        // Some clients ask more often than others.
        let client = UInt64(generator.int(0...6) * generator.int(0...6))
        let refused = queue.append(number, of: client)
        if let index = wanted.firstIndex(where: { $0.client == client }) {
          wanted[index].elements.append(number)
        } else {
          wanted.append((client, [number]))
        }
        guard wanted.reduce(0, { $0 + $1.elements.count }) > 40 else {
          #expect(refused == nil)
          continue
        }
        let loser = try #require(wanted.firstIndex { $0.elements.last == refused })
        #expect(wanted[loser].elements.count == wanted.map(\.elements.count).max())
        if wanted[loser].client == client { ownRefusals += 1 } else { others += 1 }
        wanted[loser].elements.removeLast()
        if wanted[loser].elements.isEmpty { wanted.remove(at: loser) }
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
    #expect(ownRefusals > 0 && others > 0)
  }

  @Test func `a client of its own finds room in a queue that others have filled`() {
    var queue = FairQueue<Int>(capacity: 3)
    for number in 0..<3 { #expect(queue.append(number, of: 1) == nil) }
    #expect(queue.append(3, of: 1) == 3)
    #expect(queue.append(4, of: 2) == 2)
    #expect((0..<4).map { _ in queue.popFirst() } == [0, 4, 1, nil])
  }
}
