import HTTPServer
import Threading

/// The loop of the thread that sends changes to watchers. Only the mailbox is used by other threads.
final class ChangeDispatcher {
  private let catalog: Catalog
  private let mailbox: WatchMailbox
  private let report: @Sendable (String) -> Void
  private let home = Confinement.currentThread
  private var watches: [Watch.Key: Watch] = [:]
  /// The viewport that each watcher watches.
  private var keys: [Int: Watch.Key] = [:]

  init(_ catalog: Catalog, _ mailbox: WatchMailbox, _ report: @escaping @Sendable (String) -> Void)
  {
    (self.catalog, self.mailbox, self.report) = (catalog, mailbox, report)
  }

  /// Runs until the mailbox is closed.
  func run() {
    home.check()
    while true {
      let inbox = mailbox.take(until: deadline)
      read(inbox)
      if inbox.isClosing {
        for watch in watches.values { watch.stop() }
        return
      }
      // Reading a collection leaves out its expired features.
      for id in Set(watches.keys.map(\.collection)) { _ = catalog[id] }
      work()
    }
  }

  /// When there is work to do without a message; nil if there is none.
  private var deadline: ContinuousClock.Instant? {
    guard !watches.isEmpty else { return nil }
    return watches.values.compactMap(\.due).reduce(ContinuousClock.now + Watch.pause, min)
  }

  private func read(_ inbox: WatchMailbox.Inbox) {
    for request in inbox.requests {
      guard let watch = watch(for: request) else {
        mailbox.count { $0.watchers -= 1 }
        request.answer(.failure(Problem.noCollection))
        continue
      }
      watch.add(request)
      if !request.isToHead { keys[request.id] = request.key }
    }
    for (id, stream) in inbox.streams {
      // A stream whose watcher was removed ends here.
      if let key = keys[id] { watches[key]?.begin(stream, of: id) }
    }
    for id in inbox.gone {
      if let key = keys.removeValue(forKey: id) { watches[key]?.remove(id) }
    }
    for log in inbox.touched {
      for watch in watches.values where watch.log === log { watch.isTouched = true }
    }
  }

  /// The watch that a request joins, which is begun if there is none; nil if there is no such collection.
  private func watch(for request: Watch.Request) -> Watch? {
    let (key, mailbox) = (request.key, self.mailbox)
    let log = catalog.changes(of: key.collection) { log in
      mailbox.post { $0.touched.append(log) }
    }
    guard let log else { return nil }
    if let watch = watches[key] {
      if watch.log === log { return watch }
      // The collection was dropped and created again.
      watch.step()
    }
    guard let viewport = WatchedViewport(request.viewport) else { return nil }
    let watch = Watch(viewport, log, mailbox, report: report)
    watches[key] = watch
    return watch
  }

  private func work() {
    let now = ContinuousClock.now
    let due = watches.values.filter { $0.due.map { $0 <= now } ?? false }
    for watch in due where !mailbox.isClosing { watch.step() }
    for watch in watches.values { watch.keepAlive(now) }
    let abandoned = watches.filter(\.value.isAbandoned)
    guard !abandoned.isEmpty else { return }
    for key in abandoned.keys { watches[key] = nil }
    keys = keys.filter { watches[$0.value] != nil }
  }
}
