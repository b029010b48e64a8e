import TestSupport
import Testing

@testable import ClusterAPI

/// Whatever jobs come, wait, leave and begin again: all are answered, and nothing is left.
@Suite(.timeLimit(.minutes(Seeds.minutes))) struct WorkScheduleTests {
  /// A job, and where it is.
  ///
  /// `@unchecked Sendable`: only the test's thread uses it.
  private final class Piece: @unchecked Sendable {
    /// To begin or given a turn to begin, at work, without a turn, blocked, ended.
    enum Place { case new, working, waiting, paused, ended }

    var place = Place.new
    var isGone = false
    /// Whether it was told to end, to begin again.
    var mustRestart = false
    var worked: UInt = 0
    /// The turns after which it has ended.
    var left: Int
    let (client, deadline): (UInt64, UInt?)
    private(set) lazy var job = Job(
      of: client, isLong: isLong, deadline: deadline, isAbandoned: { [unowned self] in isGone },
      fail: { _ in }, work: {})
    private let isLong: Bool

    init(of client: UInt64, isLong: Bool, deadline: UInt?, turns: Int) {
      (self.client, self.isLong, self.deadline, left) = (client, isLong, deadline, turns)
    }

    var isBegun: Bool { place != .new && place != .ended }

    func mustEnd(at now: UInt) -> Bool { isGone || now >= deadline ?? .max }
  }

  /// Events of jobs, with what must be true after each.
  private struct History {
    private var generator: SeededGenerator
    private(set) var schedule: WorkSchedule
    private var now: UInt = 1_000_000
    private var pieces: [Piece] = []
    private var (mustLook, ends) = (false, 0)
    private(set) var stuck: [WorkQueue.Lane] = []
    private(set) var restarts = 0
    private let capacity: Int

    init(seed: UInt64) {
      generator = SeededGenerator(seed: seed)
      capacity = generator.int(2...12)
      schedule = WorkSchedule(
        turns: generator.int(1...3), patience: 40_000_000, capacity: capacity)
    }

    // MARK: Events

    /// A job comes.
    mutating func arrive() throws {
      let piece = Piece(
        of: UInt64(generator.int(1...3)), isLong: generator.chance(0.4),
        deadline: generator.chance(0.7) ? now + UInt(generator.int(0...60_000_000)) : nil,
        turns: generator.int(0...12))
      pieces.append(piece)
      schedule.enqueue(piece.job, at: now)
      try obey()
    }

    /// A client leaves.
    mutating func leave() { if !pieces.isEmpty { generator.pick(pieces).isGone = true } }

    /// A thread begins with a job; returns false if there is none to begin with.
    mutating func begin() throws -> Bool {
      guard let job = schedule.begin() else { return false }
      let piece = try piece(job)
      try Histories.demand(piece.place == .new, "a job begins that has begun")
      piece.place = .working
      return true
    }

    /// A job that works does something; returns false if none works.
    mutating func work() throws -> Bool {
      let working = pieces.filter { $0.place == .working }
      guard !working.isEmpty else { return false }
      let piece = generator.pick(working)
      let used = UInt(generator.int(0...4_000_000))
      now += used
      if piece.mustRestart || piece.mustEnd(at: now) || piece.left == 0 {
        if piece.mustRestart { restarts += 1 }
        piece.place = piece.mustRestart ? .new : .ended
        schedule.end(piece.job, used: used, mustRestart: piece.mustRestart, at: now)
        (piece.mustRestart, piece.worked) = (false, 0)
      } else if generator.chance(0.15) {
        (piece.left, piece.place) = (piece.left - 1, .paused)
        schedule.pause(piece.job, used: used)
      } else {
        (piece.left, piece.worked) = (piece.left - 1, piece.worked + used)
        let next = schedule.offerTurn(piece.job, used: used, worked: piece.worked, at: now)
        if next == .wait { piece.place = .waiting }
        piece.mustRestart = next == .restart
      }
      try obey()
      return true
    }

    /// What has blocked a job is over; returns false if none is blocked.
    mutating func unblock() throws -> Bool {
      let paused = pieces.filter { $0.place == .paused }
      guard !paused.isEmpty else { return false }
      let piece = generator.pick(paused)
      piece.place = .waiting
      schedule.goOn(piece.job)
      try obey()
      return true
    }

    /// Somebody looks at what waits; returns false if nobody has to.
    mutating func look() throws -> Bool {
      guard mustLook else { return false }
      (mustLook, now) = (false, now + 10_000_000)
      schedule.look(at: now)
      try obey()
      let late = pieces.contains { $0.place == .waiting && $0.mustEnd(at: now) }
      try Histories.demand(!late, "a job waits that is late or abandoned")
      return true
    }

    mutating func close() throws {
      schedule.close()
      try obey()
    }

    /// Some event.
    mutating func step(arrivals: Double) throws {
      if generator.chance(arrivals) { return try arrive() }
      switch generator.int(0...19) {
      case 0: leave()
      case 1...4: _ = try begin()
      case 5...14: _ = try work()
      case 15...17: _ = try unblock()
      default: _ = try look()
      }
    }

    // MARK: What must be true

    private mutating func obey() throws {
      for order in schedule.takeOrders() {
        switch order {
        case .begin: break
        case .goOn(let job):
          let piece = try piece(job)
          try Histories.demand(piece.place == .waiting, "a job goes on that didn't wait")
          piece.place = .working
        case .fail(let job, let failure):
          let piece = try piece(job)
          try Histories.demand(piece.place == .new, "a job fails that has begun")
          try Histories.demand(
            failure == .refused || piece.mustEnd(at: now), "a job fails without a reason")
          piece.place = .ended
        case .look:
          try Histories.demand(!mustLook, "two look")
          mustLook = true
        case .stuck(let lane): stuck.append(lane)
        case .end: ends += 1
        }
      }
      try check()
    }

    private func piece(_ job: Job) throws -> Piece {
      guard let piece = pieces.first(where: { $0.job === job }) else {
        throw Histories.Broken(rule: "an unknown job")
      }
      return piece
    }

    /// Compares what the schedule has counted with what there is.
    private func check() throws {
      var ready = 0
      for (lane, isLong) in zip(schedule.lanes, [false, true]) {
        let own = pieces.filter { $0.place != .ended && $0.job.isLong == isLong }
        func count(_ place: Piece.Place) -> Int { own.count { $0.place == place } }
        // Those that have a turn to begin with, which no thread has taken yet.
        let given = count(.new) - lane.waiting.count
        ready += given
        try Histories.demand(given >= 0 && lane.waiting.count <= capacity, "few wait to be begun")
        try Histories.demand(
          lane.waiting.begunCount == count(.waiting), "who has begun waits or works")
        try Histories.demand(lane.running == count(.working) + given, "turns are counted")
        try Histories.demand(
          lane.begun == own.count(where: \.isBegun) + given, "what has begun is counted")
        try Histories.demand(lane.begun <= schedule.most, "few of a lane have begun")
        // Whoever may have a turn has one.
        let canWork = isLong ? lane.running < schedule.turns : true
        let canBegin = schedule.begun < schedule.threads && lane.begun < schedule.most
        let waits = lane.waiting.begunCount > 0 || canBegin && lane.waiting.count > 0
        let isFree = schedule.lanes[0].running + schedule.lanes[1].running <= schedule.turns
        try Histories.demand(!(isFree && canWork && waits), "no turn is left unused")
      }
      try Histories.demand(schedule.begun <= schedule.threads, "there are threads")
      try Histories.demand(schedule.isIdle || mustLook, "somebody will look")
      try Histories.demand(
        schedule.isIdle == pieces.allSatisfy { $0.place == .ended }, "idle or not")
    }

    /// Goes on without arrivals until all have ended.
    mutating func finish() throws {
      try close()
      let most = 100 * pieces.count + 1000
      var steps = 0
      while pieces.contains(where: { $0.place != .ended }) {
        steps += 1
        try Histories.demand(steps < most, "all end in time")
        try step(arrivals: 0)
      }
      for lane in schedule.lanes {
        try Histories.demand(
          lane.running == 0 && lane.begun == 0 && lane.waiting.isEmpty, "nothing is left")
      }
      if mustLook { _ = try look() }
      try Histories.demand(ends == 1 && !mustLook && schedule.stuck == nil, "the threads end once")
    }

    /// Nobody who works does anything any more: whoever isn't begun is answered in time nevertheless.
    mutating func stall() throws {
      for _ in 0..<10 { _ = try look() }
      try Histories.demand(
        !pieces.contains { $0.place == .new && $0.mustEnd(at: now) && !isReady($0) }, "")
      let waits = schedule.lanes.map { !$0.waiting.isEmpty }
      let isStuck = schedule.lanes.map(\.isStuck)
      try Histories.demand(waits[0] ? isStuck[0] : true, "a lane with work is stuck")
      try Histories.demand(waits[1] ? isStuck[1] : true, "a lane with work is stuck")
      try Histories.demand((schedule.stuck != nil) == isStuck.contains(true), "it is told")
    }

    private func isReady(_ piece: Piece) -> Bool { piece.job.number > 0 }
  }

  @Test func `all are answered, whatever comes, leaves and begins again`() {
    var (restarts, stuck) = (0, 0)
    for seed in 0..<Seeds.histories {
      var history = History(seed: seed)
      do {
        for step in 0..<60 { try history.step(arrivals: step < 20 ? 0.6 : 0.2) }
        if seed % 2 == 0 { try history.stall() }
        try history.finish()
      } catch {
        Issue.record("history \(seed): \(error)")
        return
      }
      restarts += history.restarts
      stuck += history.stuck.count
    }
    #expect(restarts > 0 && stuck > 0)
  }
}
