import TestSupport
import Testing

@testable import ClusterAPI

/// What waits is taken from the client that has had least of the time, in the order of each client's own; a full queue
/// gives up what a client with most of it has put in last.
@Suite(.timeLimit(.minutes(10))) struct FairQueueTests {
  @Test(arguments: Seeds.each(1...3))
  func `the next is the oldest of the client whose turn is first`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var queue = FairQueue<Int>(capacity: 40, quantum: 100)
    // The elements of each client with its turn, in the order in which they got it.
    var wanted: [(client: UInt64, start: UInt, elements: [Int])] = []
    var ends: [UInt64: UInt] = [:]
    var present: UInt = 0
    func start(_ client: UInt64) -> UInt {
      max(present > 200 ? present - 200 : 0, ends[client] ?? 0)
    }
    var (ownRefusals, others) = (0, 0)
    for number in 0..<5000 {
      // Some clients ask more often than others.
      let client = UInt64(generator.int(0...6) * generator.int(0...6))
      if generator.chance(0.4) {
        let refused = queue.append(number, of: client)
        if let index = wanted.firstIndex(where: { $0.client == client }) {
          wanted[index].elements.append(number)
        } else {
          wanted.append((client, start(client), [number]))
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
      } else if generator.chance(0.5) {
        let first = wanted.map(\.start).min()
        let index = wanted.firstIndex { $0.start == first }
        #expect(queue.popFirst() == index.map { wanted[$0].elements[0] })
        guard let index else { continue }
        var next = wanted.remove(at: index)
        present = max(present, next.start)
        ends[next.client] = next.start + 100
        next.elements.removeFirst()
        next.start = start(next.client)
        if !next.elements.isEmpty { wanted.append(next) }
      } else {
        let used = UInt(generator.int(0...150))
        queue.settle(client, used: used)
        present += used / UInt(2 * (wanted.count + 1))
        guard let end = ends[client] else { continue }
        ends[client] = end + used < 100 ? 0 : end + used - 100
        if let index = wanted.firstIndex(where: { $0.client == client }) {
          var moved = wanted.remove(at: index)
          moved.start = start(client)
          wanted.append(moved)
        }
      }
      #expect(queue.count == wanted.reduce(0) { $0 + $1.elements.count })
    }
    #expect(ownRefusals > 0 && others > 0)
  }

  @Test func `a client of its own finds room in a queue that others have filled`() {
    var queue = FairQueue<Int>(capacity: 3, quantum: 1)
    for number in 0..<3 { #expect(queue.append(number, of: 1) == nil) }
    #expect(queue.append(3, of: 1) == 3)
    #expect(queue.append(4, of: 2) == 2)
    #expect((0..<4).map { _ in queue.popFirst() } == [0, 4, 1, nil])
  }

  @Test func `what was put back is next of its client, and nothing new stands in its way`() {
    var queue = FairQueue<Int>(capacity: 10, quantum: 1)
    for number in 10..<13 { #expect(queue.append(number, of: 1) == nil) }
    #expect(queue.popFirst() == 10 && queue.popFirst() == 11)
    queue.putBack(11, 2, of: 1)
    #expect(queue.append(9, of: 1, first: true) == nil)
    queue.putBack(10, 1, of: 1)
    #expect(queue.append(20, of: 2) == nil)
    #expect(queue.count == 3 && queue.begunCount == 2)
    #expect((0..<3).map { _ in queue.popFirst(mayBegin: false) } == [10, 11, nil])
    // The other client has had least.
    #expect((0..<4).map { _ in queue.popFirst() } == [20, 9, 12, nil])
    #expect(queue.isEmpty)
  }

  @Test func `what has a reason to go goes, new or put back`() {
    var queue = FairQueue<Int>(capacity: 10, quantum: 1)
    for number in 0..<8 { #expect(queue.append(number, of: UInt64(number / 4)) == nil) }
    #expect(queue.popFirst() == 0 && queue.popFirst() == 4)
    queue.putBack(0, 1, of: 0)
    queue.putBack(4, 2, of: 1)
    let removed = queue.remove { $0 % 2 == 1 || $0 == 0 ? "\($0)" : nil }
    #expect(removed.new.map(\.0).sorted() == [1, 3, 5, 7] && removed.begun == [0])
    #expect(removed.new.allSatisfy { "\($0.0)" == $0.1 })
    #expect(queue.count == 2 && queue.begunCount == 1)
    #expect(Set((0..<3).compactMap { _ in queue.popFirst() }) == [2, 4, 6] && queue.isEmpty)
  }

  @Test(arguments: [20_000, 100_000, 300_000] as [UInt])
  func `who asks seldom is next although many ask without pause`(used: UInt) throws {
    var queue = FairQueue<UInt64>(capacity: 1000, quantum: 100_000)
    for client in 1...64 as ClosedRange<UInt64> { _ = queue.append(client, of: client) }
    for round in 0..<10_000 {
      // After each turn of such a client its next request is there.
      let next = queue.popFirst()
      let client = try #require(next)
      queue.settle(client, used: used)
      _ = queue.append(client, of: client)
      guard round % 100 == 99 else { continue }
      _ = queue.append(0, of: 0)
      let places = (0..<5).compactMap { _ in queue.popFirst() }
      #expect(places.contains(0), "\(round): \(places)")
      for client in places {
        queue.settle(client, used: client == 0 ? 10_000 : used)
        if client != 0 { _ = queue.append(client, of: client) }
      }
    }
  }

  @Test func `clients that ask without pause share the time whatever their requests take`() throws {
    var queue = FairQueue<UInt64>(capacity: 1000, quantum: 100_000)
    let costs: [UInt64: UInt] = [1: 20_000, 2: 100_000, 3: 250_000]
    for client in costs.keys { for _ in 0..<2 { _ = queue.append(client, of: client) } }
    var total: [UInt64: UInt] = [:]
    for _ in 0..<10_000 {
      let next = queue.popFirst()
      let client = try #require(next)
      let used = try #require(costs[client])
      total[client, default: 0] += used
      queue.settle(client, used: used)
      _ = queue.append(client, of: client)
    }
    let shares = total.values.sorted()
    #expect(shares.count == 3 && shares[2] < shares[0] * 11 / 10, "\(total)")
  }

  @Test func `new clients without end keep nobody waiting without end`() throws {
    var queue = FairQueue<UInt64>(capacity: 1000, quantum: 100_000)
    for client in 1...100 as ClosedRange<UInt64> { _ = queue.append(client, of: client) }
    // It has just had a turn, so its next one is after those of the others.
    #expect(queue.popFirst() == 1)
    queue.settle(1, used: 100_000)
    _ = queue.append(1, of: 1)
    var pops = 0
    for new in 1000...20_000 as ClosedRange<UInt64> {
      let next = queue.popFirst()
      let client = try #require(next)
      pops += 1
      if client == 1 { break }
      queue.settle(client, used: 100_000)
      _ = queue.append(new, of: new)
    }
    #expect((99...1000).contains(pops), "\(pops)")
  }
}
