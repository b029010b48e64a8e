import TestSupport
import Testing
import Threading

@testable import Collections

/// Random histories of what waits elsewhere: all of it is answered once nothing comes any more, and all counters are
/// back at nothing.
@Suite(.timeLimit(.minutes(Seeds.minutes))) struct QueueModelTests {
  // MARK: Shares

  /// Any clients take of something that is shared and give it back, beside a table of what each has.
  @Test func `a ledger has what its clients have, and gives nobody too much`() {
    let fault = Histories.fault { generator in
      let (all, each) = (generator.int(1...60), generator.int(1...40))
      let (reserve, little) = (generator.int(0...all), generator.int(0...10))
      var ledger = ClientLedger(all: all, each: each, reserve: reserve, little: little)
      var table: [UInt64: Int] = [:]
      for _ in 0..<60 {
        let client = UInt64(generator.int(0...4))
        let (own, total) = (table[client] ?? 0, table.values.reduce(0, +))
        if generator.chance(0.6) {
          let amount = generator.pick([0, 1, 2, 7, 30, .max])
          let isTooMuch = amount > 100 || own + amount > each
          let isFull =
            amount > 100 || total + amount > all - (own + amount <= little ? 0 : reserve)
          let refusal = ledger.refusal(of: amount, for: client)
          try Histories.demand(
            refusal == (isTooMuch ? .share : isFull ? .full : nil), "the reason is right")
          try Histories.demand(
            own > 0 || refusal == ledger.refusalOfNewcomer(amount), "as for a newcomer")
          let isTaken = ledger.take(amount, for: client)
          try Histories.demand(isTaken == (refusal == nil), "it is given unless refused")
          if isTaken { table[client] = own + amount == 0 ? nil : own + amount }
        } else {
          let amount = generator.int(0...own)
          ledger.give(amount, of: client)
          table[client] = own == amount ? nil : own - amount
        }
        try Histories.demand(
          ledger.amounts == table && ledger.total == table.values.reduce(0, +), "all is counted")
        let greediest = ledger.greediest.map { table[$0] ?? 0 }
        try Histories.demand(greediest == table.values.max(), "the greediest has most")
      }
      for (client, amount) in table { ledger.give(amount, of: client) }
      try Histories.demand(
        ledger.total == 0 && ledger.amounts.isEmpty && ledger.greediest == nil, "nothing is left")
    }
    #expect(fault == nil)
  }

  // MARK: Waits for versions

  /// A client that waits.
  ///
  /// `@unchecked Sendable`: only the test's thread uses it.
  private final class Reader: @unchecked Sendable {
    let (client, version, deadline): (UInt64, Int64, UInt)
    var isGone = false
    /// How often it was told the end.
    var ends = 0
    var isWaiting: Bool { ends == 0 }

    init(_ client: UInt64, _ version: Int64, _ deadline: UInt) {
      (self.client, self.version, self.deadline) = (client, version, deadline)
    }
  }

  @Test func `each wait for a version ends once`() {
    let fault = Histories.fault { generator in
      let limits = VersionWaits.Limits(places: 8, placesOfAddress: 4)
      var state = VersionWaits.State(limits: limits)
      var readers: [Reader] = []
      var (now, version, willLook) = (UInt(1000), Int64(0), false)
      func end(_ waits: [VersionWaits.Wait], when isRight: (Reader) -> Bool) throws {
        let before = readers.filter(\.isWaiting)
        for wait in waits { wait.end(.late) }
        let ended = before.filter { !$0.isWaiting }
        try Histories.demand(
          ended.count == waits.count && ended.allSatisfy(isRight), "each ends once, and rightly")
      }
      func look() throws {
        willLook = false
        let (late, abandoned) = state.look(at: now)
        try end(late) { $0.deadline <= now }
        try end(abandoned) { $0.isGone }
        willLook = state.mustLook()
        try Histories.demand(
          !readers.contains { $0.isWaiting && ($0.isGone || $0.deadline <= now) },
          "none waits in vain")
      }
      for _ in 0..<60 {
        switch generator.int(0...9) {
        case 0...4:
          let asked = version + Int64(generator.int(0...3))
          let reader = Reader(
            UInt64(generator.int(0...3)), asked, now + UInt(generator.int(0...400)))
          let wait = VersionWaits.Wait(
            collection: "c\(asked % 2)", tenantID: nil, version: asked, client: reader.client,
            deadline: reader.deadline, isAbandoned: { reader.isGone }, refresh: nil,
            end: { _ in reader.ends += 1 })
          readers.append(reader)
          do {
            if let refused = try state.add(wait) { try end([refused]) { _ in true } }
          } catch { reader.ends = 1 }
          if state.mustLook() {
            try Histories.demand(!willLook, "it is looked once at a time")
            willLook = true
          }
        case 5: if !readers.isEmpty { generator.pick(readers).isGone = true }
        case 6...7:
          version += 1
          let shown = version
          try end(state.show(shown, of: "c\(generator.int(0...1))", to: nil).shown) {
            $0.version <= shown
          }
        default:
          now += UInt(generator.int(0...100))
          if willLook { try look() }
        }
        let waiting = readers.filter(\.isWaiting)
        try Histories.demand(state.figures.waiting == waiting.count, "waits are counted")
        try Histories.demand(waiting.count <= limits.places, "few wait")
        try Histories.demand(waiting.isEmpty || willLook, "somebody will look")
        for client in 0...3 as ClosedRange<UInt64> {
          try Histories.demand(
            state.places[client] == waiting.count { $0.client == client },
            "of each address, too")
        }
      }
      if generator.chance(0.5) {
        now += 400
        if willLook { try look() }
      } else {
        try end(state.close()) { _ in true }
      }
      try Histories.demand(
        state.figures.waiting == 0 && state.places.amounts.isEmpty && state.waits.isEmpty
          && !readers.contains(where: \.isWaiting), "nothing is left")
    }
    #expect(fault == nil)
  }

  // MARK: Writes

  @Test func `each write is carried out after those of its client`() throws {
    let view = CatalogView(Catalog())
    let limits = WriteLimits()
    let fault = Histories.fault { generator in
      let memory = WriteMemory(limits)
      var queue = WriteQueue()
      var (waiting, last) = ([UInt64: [UInt]](), UInt(0))
      func take(_ group: [WriteQueue.Job]) throws {
        try Histories.demand(
          group.count == 1 || group.allSatisfy(\.write.isSmall), "large ones are alone")
        try Histories.demand(group.count <= WriteQueue.maximumGroup, "groups are small")
        try Histories.demand(
          !group.isEmpty || waiting.values.allSatisfy(\.isEmpty), "what waits is taken")
        for job in group {
          try Histories.demand(
            waiting[job.share.client]?.first == job.start, "each client's are in order")
          waiting[job.share.client]?.removeFirst()
          job.share.giveBack()
        }
        try Histories.demand(
          queue.count == waiting.values.reduce(0) { $0 + $1.count }, "those that wait are counted")
      }
      for _ in 0..<40 {
        if generator.chance(0.4) {
          try take(queue.takeGroup())
          continue
        }
        let client = UInt64(generator.int(1...4))
        let bytes = generator.pick([0, 100, 60_000, 70_000, 1_500_000, 3_000_000])
        guard let share = memory.share(of: bytes, for: client) else {
          throw Histories.Broken(rule: "room")
        }
        last += 1
        waiting[client, default: []].append(last)
        queue.append(
          WriteQueue.Job(
            write: Write(
              by: view, in: "c", bytes: bytes,
              isSmall: bytes > 0 && bytes < Write.smallBody * 8 && generator.chance(0.8), .drop),
            share: share, start: last, note: { _ in }, answer: { _ in }))
      }
      if generator.chance(0.2) {
        for job in queue.takeAll() { waiting[job.share.client]?.removeFirst() }
      } else {
        // Each group has one at least, and every other may have none.
        for _ in 0..<40 { try take(queue.takeGroup()) }
      }
      try Histories.demand(waiting.values.allSatisfy(\.isEmpty), "all are taken")
      try Histories.demand(
        queue.takeGroup().isEmpty && queue.takeAll().isEmpty, "none is left")
      try Histories.demand(queue.count == 0, "nor counted")
      let whole = memory.share(of: limits.clientBytes - 1024, for: 1)
      try Histories.demand(whole != nil, "all memory has been given back")
    }
    #expect(fault == nil)
  }

  @Test func `quick writes of many clients have their turns`() throws {
    let (view, memory) = (CatalogView(Catalog()), WriteMemory(WriteLimits()))
    var queue = WriteQueue()
    func add(of client: UInt64) throws {
      let share = try #require(memory.share(of: 60_000, for: client))
      queue.append(
        WriteQueue.Job(
          write: Write(by: view, in: "c", bytes: 60_000, isSmall: true, .drop), share: share,
          start: 0, note: { _ in }, answer: { _ in }))
    }
    // More than one transaction takes, and more come all the time.
    for client in 1...100 as ClosedRange<UInt64> { for _ in 0..<2 { try add(of: client) } }
    var taken: [UInt64: Int] = [:]
    for _ in 0..<6 {
      for job in queue.takeGroup() {
        taken[job.share.client, default: 0] += 1
        job.share.giveBack()
        try add(of: job.share.client)
      }
    }
    #expect(taken.count == 100)
  }

  @Test func `the writer waits for writes only where that helps`() throws {
    let fault = Histories.fault { generator in
      var gathering = WriteGathering()
      var now: UInt = 1000
      /// The number of writes that are waited for after a transaction of some, beside others.
      func end(_ count: Int, _ others: Int) throws -> Int? {
        let start = now
        now += UInt(generator.int(2...2_000_000))
        gathering.ended(count, waiting: others, from: start, to: now)
        let wanted = gathering.count(at: now)
        try Histories.demand(
          wanted == nil || wanted == count + others, "all that were under way are waited for")
        try Histories.demand(gathering.count(at: now + (now - start) / 2) == nil, "not for long")
        return wanted
      }
      try Histories.demand(gathering.count(at: now) == nil, "nothing is waited for at first")
      for _ in 0..<50 { try Histories.demand(try end(1, 0) == nil, "a single client never waits") }
      // Clients who come back are waited for each time, though one in two may be late.
      for _ in 0..<50 {
        let (count, others) = (generator.int(2...16), generator.int(0...16))
        try Histories.demand(try end(count, others) != nil, "others are waited for")
        gathering.waited(from: others, to: others + (count + 1) / 2)
      }
      try Histories.demand(try end(30, 3) == nil, "many are enough")
      var waits = 0
      for _ in 0..<2000 where try end(3, 4) != nil {
        gathering.waited(from: 4, to: 5)
        waits += 1
      }
      try Histories.demand((8...20).contains(waits), "who doesn't come is waited for rarely")
      for _ in 0..<300 where try end(3, 4) != nil { gathering.waited(from: 4, to: 7) }
      try Histories.demand(try end(3, 4) != nil, "until they come again")
    }
    #expect(fault == nil)
  }
}
