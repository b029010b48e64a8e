import Dispatch
import Synchronization

/// Sends watchers of viewports what changes in them, on a thread of the lowest priority.
final class ChangeHub: Sendable {
  private let catalog: Catalog
  private let mailbox = WatchMailbox()
  private let report: @Sendable (String) -> Void
  private let hasThread = Atomic<Bool>(false)
  /// Is signalled when the thread has ended.
  private let ended = DispatchSemaphore(value: 0)

  /// How far the thread's priority is lowered; see nice(2).
  private static let niceness: Int32 = 19

  init(catalog: Catalog, report: @escaping @Sendable (String) -> Void) {
    (self.catalog, self.report) = (catalog, report)
  }

  deinit { mailbox.post { $0.isClosing = true } }

  /// Ends all streams, and returns when the thread has ended or a few seconds are over. Nobody may be added
  /// after that.
  func close() {
    mailbox.post { $0.isClosing = true }
    if hasThread.load(ordering: .relaxed) { _ = ended.wait(timeout: .now() + 5) }
  }

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
      || BackgroundThread.start(niceness: ChangeHub.niceness) { [catalog, mailbox, report, ended] in
        ChangeDispatcher.run(catalog, mailbox, report)
        ended.signal()
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
