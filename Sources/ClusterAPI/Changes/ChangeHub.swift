import Synchronization

/// Sends watchers of viewports what changes in them, on a thread of the lowest priority.
final class ChangeHub: Sendable {
  private let catalog: Catalog
  private let mailbox = WatchMailbox()
  private let report: @Sendable (String) -> Void
  private let hasThread = Atomic<Bool>(false)

  /// How far the thread's priority is lowered; see nice(2).
  private static let niceness: Int32 = 19

  init(catalog: Catalog, report: @escaping @Sendable (String) -> Void) {
    (self.catalog, self.report) = (catalog, report)
  }

  deinit { mailbox.post { $0.isClosing = true } }

  var figures: WatchMailbox.Figures { mailbox.figures }

  /// Adds a client that watches a viewport, and answers it as soon as its first event is there.
  ///
  /// - Throws: ``Problem`` 503 if there are too many watchers.
  func watch(
    _ key: Watch.Key, _ viewport: ViewportRequest, since: Int64?, isToHead: Bool,
    answer: @escaping Reply
  ) throws(Problem) {
    guard let id = mailbox.admit() else {
      throw .unavailable("\(WatchMailbox.maximumWatchers) clients watch already")
    }
    let isRunning =
      hasThread.exchange(true, ordering: .relaxed)
      || BackgroundThread.start(niceness: ChangeHub.niceness) { [catalog, mailbox, report] in
        ChangeDispatcher(catalog, mailbox, report).run()
      }
    guard isRunning else {
      hasThread.store(false, ordering: .relaxed)
      mailbox.count { $0.watchers -= 1 }
      throw .unavailable("no thread could be started for watchers")
    }
    let request = Watch.Request(
      id: id, key: key, viewport: viewport, since: since, isToHead: isToHead, answer: answer)
    mailbox.post { $0.requests.append(request) }
  }
}
