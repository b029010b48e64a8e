import HTTPServer
import Synchronization

/// Tells those who watch views what changes in them, on a thread of its own that gives way to all
/// others.
final class ChangeHub: Sendable {
  private let catalog: Catalog
  private let desk = WatchMailbox()
  private let report: @Sendable (String) -> Void
  private let hasThread = Atomic<Bool>(false)

  /// How much the thread gives way to others; see nice(2).
  private static let niceness: Int32 = 19

  init(catalog: Catalog, report: @escaping @Sendable (String) -> Void) {
    (self.catalog, self.report) = (catalog, report)
  }

  deinit { desk.post { $0.isClosing = true } }

  /// For the metrics; see ``WatchMailbox/figures``.
  var figures: (watchers: Int, events: Int, dropped: Int) { desk.figures }

  /// Lets a client watch a view, and answers it when what it shall show first is there.
  ///
  /// - Throws: ``Problem`` 503 where too many do.
  func watch(
    _ key: WatchKey, _ view: ViewportRequest, since: Int64?, isToHead: Bool,
    answer: @escaping @Sendable (Result<HTTPResponse, any Error>) -> Void
  ) throws(Problem) {
    guard let id = desk.admit() else {
      throw .unavailable("\(WatchMailbox.maximumWatchers) clients watch already")
    }
    if !hasThread.exchange(true, ordering: .relaxed), !startThread() {
      hasThread.store(false, ordering: .relaxed)
      desk.dismiss()
      throw .unavailable("no thread can be had to watch")
    }
    let arrival = Arrival(id: id, since: since, isToHead: isToHead, answer: answer)
    desk.post { $0.arrivals.append((key, view, arrival)) }
  }

  /// Starts the thread; false where the system has none to give.
  private func startThread() -> Bool {
    let (catalog, desk, report) = (self.catalog, self.desk, self.report)
    return QuietThread.start(niceness: ChangeHub.niceness) {
      ChangeTeller(catalog, desk, report).run()
    }
  }
}

/// What runs on the thread. All but the desk is touched there alone.
private final class ChangeTeller {
  private let catalog: Catalog
  private let desk: WatchMailbox
  private let report: @Sendable (String) -> Void
  private var watches: [WatchKey: Watch] = [:]
  /// Which view each watcher watches.
  private var keys: [Int: WatchKey] = [:]

  init(_ catalog: Catalog, _ desk: WatchMailbox, _ report: @escaping @Sendable (String) -> Void) {
    (self.catalog, self.desk, self.report) = (catalog, desk, report)
  }

  func run() {
    while true {
      let inbox = desk.take(until: deadline)
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
        desk.dismiss()
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
    let desk = self.desk
    guard
      let log = catalog.changes(
        of: key.collection,
        wake: { log in
          desk.post { $0.touched.append(log) }
        })
    else { return nil }
    if let watch = watches[key] {
      if watch.log === log { return watch }
      // The collection was dropped and made anew.
      watch.step()
    }
    guard let view = WatchedViewport(view) else { return nil }
    let watch = Watch(view, log, desk, report: report)
    watches[key] = watch
    return watch
  }

  private func work() {
    let now = ContinuousClock.now
    let due = watches.filter { $0.value.due.map { $0 <= now } ?? false }
    for (_, watch) in due { watch.step() }
    for watch in watches.values { watch.keepAlive(now) }
    let forsaken = watches.filter(\.value.isForsaken)
    guard !forsaken.isEmpty else { return }
    for key in forsaken.keys { watches[key] = nil }
    keys = keys.filter { watches[$0.value] != nil }
  }
}
