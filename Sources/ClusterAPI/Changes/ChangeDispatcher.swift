import HTTPServer

/// The loop of the thread that sends changes to watchers. Only the mailbox is used by other threads.
final class ChangeDispatcher {
  private let catalog: Catalog
  private let mailbox: WatchMailbox
  private let report: @Sendable (String) -> Void
  private var watches: [WatchKey: Watch] = [:]
  /// Which view each watcher watches.
  private var keys: [Int: WatchKey] = [:]

  init(_ catalog: Catalog, _ mailbox: WatchMailbox, _ report: @escaping @Sendable (String) -> Void)
  {
    (self.catalog, self.mailbox, self.report) = (catalog, mailbox, report)
  }

  func run() {
    while true {
      let inbox = mailbox.take(until: deadline)
      read(inbox)
      if inbox.isClosing {
        for watch in watches.values { watch.leave() }
        return
      }
      // Whatever else readers see to: a look at a collection lets go of what has expired.
      for id in Set(watches.keys.map(\.collection)) { _ = catalog[id] }
      work()
    }
  }

  /// When there is something to do without word from others.
  private var deadline: ContinuousClock.Instant? {
    guard !watches.isEmpty else { return nil }
    return watches.values.compactMap(\.due).reduce(ContinuousClock.now + Watch.pause, min)
  }

  private func read(_ inbox: WatchMailbox.Inbox) {
    for (key, view, arrival) in inbox.arrivals {
      guard let watch = watch(key, view) else {
        arrival.answer(.failure(Problem.notFound("there is no such collection")))
        mailbox.dismiss()
        continue
      }
      watch.add(arrival)
      if !arrival.isToHead { keys[arrival.id] = key }
    }
    for (id, stream) in inbox.streams {
      // A stream of which nobody knows any more ends here.
      if let key = keys[id] { watches[key]?.begin(stream, of: id) }
    }
    for id in inbox.gone {
      if let key = keys.removeValue(forKey: id) { watches[key]?.remove(id) }
    }
    for log in inbox.touched {
      for watch in watches.values where watch.log === log { watch.isTouched = true }
    }
  }

  /// The view with a key, which is watched from now on; nil where there is no such collection.
  private func watch(_ key: WatchKey, _ view: ViewportRequest) -> Watch? {
    let mailbox = self.mailbox
    guard
      let log = catalog.changes(
        of: key.collection,
        wake: { log in
          mailbox.post { $0.touched.append(log) }
        })
    else { return nil }
    if let watch = watches[key] {
      if watch.log === log { return watch }
      // The collection was dropped and made anew.
      watch.step()
    }
    guard let view = WatchedViewport(view) else { return nil }
    let watch = Watch(view, log, mailbox, report: report)
    watches[key] = watch
    return watch
  }

  private func work() {
    let now = ContinuousClock.now
    let due = watches.filter { $0.value.due.map { $0 <= now } ?? false }
    for (_, watch) in due { watch.step() }
    for watch in watches.values { watch.keepAlive(now) }
    let abandoned = watches.filter(\.value.isAbandoned)
    guard !abandoned.isEmpty else { return }
    for key in abandoned.keys { watches[key] = nil }
    keys = keys.filter { watches[$0.value] != nil }
  }
}
