import TestSupport
import Testing

@testable import ClusterAPI

/// Random histories of watchers: each has its turn, and all places are given back.
@Suite(.timeLimit(.minutes(Seeds.minutes))) struct WatcherModelTests {
  @Test func `each watched viewport has its turn`() {
    let fault = Histories.fault { generator in
      var turns = WatchTurns()
      let watches = (0..<generator.int(1...8)).map { _ in
        (
          clients: (0..<generator.int(1...3)).map { _ in UInt64(generator.int(0...4)) },
          cost: generator.pick([0.001, 0.02, 0.2])
        )
      }
      var due = watches.map { _ in 0.0 }
      var (now, passed) = (0.0, 0.0)
      for _ in 0..<100 {
        let candidates = watches.indices.filter { due[$0] <= now }
        let next = turns.next(
          of: candidates.map {
            WatchTurns.Candidate(
              clients: watches[$0].clients, cost: watches[$0].cost, waited: now - due[$0])
          })
        try Histories.demand((next == nil) == candidates.isEmpty, "somebody is next")
        if let next {
          let place = candidates[next]
          now += watches[place].cost
          turns.charge(watches[place].cost, to: watches[place].clients)
          due[place] = now + max(0.25, 4 * watches[place].cost)
        } else {
          now = due.min() ?? now
        }
        let seconds = (now - passed).rounded(.down)
        turns.pass(seconds)
        passed += seconds
        try Histories.demand(due.allSatisfy { now - $0 < 30 }, "none waits for long")
      }
    }
    #expect(fault == nil)
  }

  @Test func `places of watchers are given back`() {
    let fault = Histories.fault { generator in
      var limits = WatchLimits()
      (limits.places, limits.placesOfAddress) = (8, 3)
      let mailbox = WatchMailbox(limits: limits, refusals: Refusals())
      var admitted: [UInt64] = []
      for _ in 0..<40 {
        let client = UInt64(generator.int(0...4))
        if generator.chance(0.6) {
          let own = admitted.count { $0 == client }
          let fits = admitted.count < limits.places && own < limits.placesOfAddress
          let isIn = (try? mailbox.admit(client)) != nil
          try Histories.demand(isIn == fits, "places are few")
          if fits { admitted.append(client) }
        } else if !admitted.isEmpty {
          mailbox.release(admitted.remove(at: generator.int(0...admitted.count - 1)))
        }
        try Histories.demand(mailbox.figures.watchers == admitted.count, "they are counted")
      }
      for client in admitted { mailbox.release(client) }
      try Histories.demand(mailbox.figures.watchers == 0, "none is left")
      for client in [1, 1, 1, 2, 2, 2, 3, 3] as [UInt64] { _ = try mailbox.admit(client) }
    }
    #expect(fault == nil)
  }
}
