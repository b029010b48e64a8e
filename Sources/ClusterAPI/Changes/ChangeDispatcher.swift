import HTTPServer

/// The loop of the thread that sends changes to watchers. Only the mailbox is used by other threads.
final class ChangeDispatcher {
  private let catalog: Catalog
  private let mailbox: WatchMailbox
  private let report: @Sendable (String) -> Void
  private var watches: [WatchKey: Watch] = [:]
  /// The viewport that each watcher watches.
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
    for (key, viewport, request) in inbox.requests {
      guard let watch = watch(key, viewport) else {
        request.answer(.failure(Problem.notFound("there is no such collection")))
        mailbox.dismiss()
        continue
      }
      watch.add(request)
      if !request.isToHead { keys[request.id] = key }
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

  /// The watch with a key, which is begun if there is none; nil if there is no such collection.
  private func watch(_ key: WatchKey, _ viewport: ViewportRequest) -> Watch? {
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
      // The collection was dropped and created again.
      watch.step()
    }
    guard let viewport = WatchedViewport(viewport) else { return nil }
    let watch = Watch(viewport, log, mailbox, report: report)
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
