import HTTPServer
import Threading

/// The loop of the thread that sends changes to watchers. Only the mailbox is used by other threads.
final class ChangeDispatcher {
  private let mailbox: WatchMailbox
  private let report: @Sendable (String) -> Void
  private let home = Isolation.currentThread
  private var watches: [Watch.Key: Watch] = [:]
  private var turns = WatchTurns()
  /// When some of the time used was last forgotten.
  private var passed = ContinuousClock.now
  /// The step that is done on another thread, as it takes long. There is one at a time.
  private var slow: (watch: Watch, thread: SystemThread)?

  /// How far the priority of that thread is lowered; see nice(2).
  private static let niceness: Int32 = 15
  /// The time after which the first step of a viewport is given up, to begin again on another thread, in nanoseconds.
  private static let quickFirst: UInt = 2_000_000
  /// The time after which messages are read between steps.
  private static let slice = Duration.milliseconds(20)

  init(_ mailbox: WatchMailbox, _ report: @escaping @Sendable (String) -> Void) {
    (self.mailbox, self.report) = (mailbox, report)
  }

  /// Runs until the mailbox is closed.
  func run() {
    home.check()
    while true {
      let inbox = mailbox.take(until: deadline)
      if let outcome = inbox.outcome { finishSlow(outcome) }
      read(inbox)
      if inbox.isClosing {
        slow?.thread.join()
        for watch in watches.values { watch.stop() }
        return
      }
      // Reading a collection leaves out its expired features.
      // It also updates the views of tenants.
      for (key, watch) in watches { watch.catalog.refresh(key.collection) }
      work()
    }
  }

  /// When there is work to do without a message; nil if there is none.
  private var deadline: ContinuousClock.Instant? {
    guard !watches.isEmpty else { return nil }
    return watches.values.filter(canStep).compactMap(\.due)
      .reduce(ContinuousClock.now + Watch.pause, min)
  }

  /// Whether a step can be done now, if it is due.
  private func canStep(_ watch: Watch) -> Bool { slow == nil || watch.isQuick }

  private func read(_ inbox: WatchMailbox.Inbox) {
    for request in inbox.requests {
      guard let watch = watch(for: request) else {
        mailbox.release(request.client)
        request.answer(.failure(Problem.noCollection))
        continue
      }
      watch.add(request)
    }
    // A stream whose watcher was removed ends here.
    for (watcher, stream) in inbox.streams { watches[watcher.key]?.begin(stream, of: watcher.id) }
    for watcher in inbox.gone { watches[watcher.key]?.remove(watcher.id) }
    for log in inbox.invalidated {
      for watch in watches.values where watch.log === log { watch.isTouched = true }
    }
  }

  /// The watch that a request joins, which is begun if there is none; nil if there is no such collection.
  private func watch(for request: Watch.Request) -> Watch? {
    let (key, mailbox) = (request.key, self.mailbox)
    let log = request.view.changes(of: key.collection) { log in
      mailbox.post { $0.invalidated.append(log) }
    }
    guard let log else { return nil }
    if let watch = watches[key] {
      if watch.log === log { return watch }
      // The collection was dropped and created again.
      watch.end()
    }
    let view: any Watched
    switch request.subject {
    case .viewport(let asked):
      guard let watched = WatchedViewport(asked) else { return nil }
      view = watched
    case .tiles(let asked): view = WatchedTiles(asked, log)
    }
    // A filter is the longest part of a request; parsed, it takes a few times the memory of its
    // text.
    let watch = Watch(
      view, of: request.view, extraBytes: 4096 + 8 * key.query.text.utf8.count,
      log, mailbox, report: report)
    watches[key] = watch
    return watch
  }

  private func work() {
    let start = ContinuousClock.now
    let seconds = (passed.duration(to: start) / .seconds(1)).rounded(.down)
    turns.pass(seconds)
    passed += .seconds(seconds)
    var due = watches.values.filter { canStep($0) && ($0.due.map { $0 <= start } ?? false) }
    while !due.isEmpty, !mailbox.isClosing, .now - start < ChangeDispatcher.slice {
      let candidates = due.map { watch in
        WatchTurns.Candidate(
          clients: watch.addresses, cost: watch.cost,
          waited: watch.due.map { $0.duration(to: start) / .seconds(1) } ?? 0)
      }
      guard let next = turns.next(of: candidates) else { break }
      step(due.remove(at: next))
      due.removeAll { !canStep($0) }
    }
    for watch in watches.values {
      watch.refuseOld()
      watch.endInvalid()
      watch.keepAlive(start)
    }
    makeRoom()
    for key in watches.filter(\.value.isAbandoned).keys { watches[key] = nil }
  }

  private func step(_ watch: Watch) {
    guard let work = watch.begin() else { return }
    if watch.isQuick {
      if let outcome = work.run(firstAtMost: ChangeDispatcher.quickFirst) {
        finish(watch, outcome)
      } else {
        turns.charge(Double(ChangeDispatcher.quickFirst) / 1e9, to: watch.addresses)
        watch.giveUp()
      }
      return
    }
    let mailbox = self.mailbox
    let thread = BackgroundThread.startJoinable(niceness: ChangeDispatcher.niceness) {
      let outcome = work.run()
      mailbox.post { $0.outcome = outcome }
    }
    if let thread { slow = (watch, thread) } else { finish(watch, work.run()) }
  }

  private func finishSlow(_ outcome: WatchWork.Product) {
    guard let (watch, thread) = slow else { return }
    thread.join()
    slow = nil
    finish(watch, outcome)
  }

  private func finish(_ watch: Watch, _ outcome: WatchWork.Product) {
    turns.charge(outcome.seconds, to: watch.addresses)
    watch.finish(outcome)
  }

  /// Ends watches while all of them take too much memory: the largest of the address whose watches take most.
  private func makeRoom() {
    var total = watches.values.reduce(0) { $0 + $1.byteCount }
    while total > mailbox.limits.bytes {
      var taken = ClientLedger()
      for watch in watches.values {
        for client in watch.addresses { taken.add(watch.byteCount, for: client) }
      }
      let greedy = taken.greediest
      let largest = watches.filter { watch in
        greedy.map { watch.value.addresses.contains($0) } ?? true
      }.max { $0.value.byteCount < $1.value.byteCount }
      guard let largest else { return }
      total -= largest.value.byteCount
      mailbox.refusals.count(.watcherMemory)
      largest.value.close(because: .unavailable("what watchers show takes too much memory"))
      watches[largest.key] = nil
    }
  }
}
