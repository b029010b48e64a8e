import HTTPServer
import Synchronization

/// Tells those who watch views what changes in them, on a thread of its own that gives way to all
/// others.
final class ChangeHub: Sendable {
  private let catalog: Catalog
  private let mailbox = WatchMailbox()
  private let report: @Sendable (String) -> Void
  private let hasThread = Atomic<Bool>(false)

  /// How much the thread gives way to others; see nice(2).
  private static let niceness: Int32 = 19

  init(catalog: Catalog, report: @escaping @Sendable (String) -> Void) {
    (self.catalog, self.report) = (catalog, report)
  }

  deinit { mailbox.post { $0.isClosing = true } }

  /// For the metrics; see ``WatchMailbox/figures``.
  var figures: (watchers: Int, events: Int, dropped: Int) { mailbox.figures }

  /// Lets a client watch a view, and answers it when what it shall show first is there.
  ///
  /// - Throws: ``Problem`` 503 where too many do.
  func watch(
    _ key: WatchKey, _ view: ViewportRequest, since: Int64?, isToHead: Bool,
    answer: @escaping @Sendable (Result<HTTPResponse, any Error>) -> Void
  ) throws(Problem) {
    guard let id = mailbox.admit() else {
      throw .unavailable("\(WatchMailbox.maximumWatchers) clients watch already")
    }
    if !hasThread.exchange(true, ordering: .relaxed), !startThread() {
      hasThread.store(false, ordering: .relaxed)
      mailbox.dismiss()
      throw .unavailable("no thread can be had to watch")
    }
    let arrival = WatchRequest(id: id, since: since, isToHead: isToHead, answer: answer)
    mailbox.post { $0.arrivals.append((key, view, arrival)) }
  }

  /// Starts the thread; false where the system has none to give.
  private func startThread() -> Bool {
    let (catalog, mailbox, report) = (self.catalog, self.mailbox, self.report)
    return BackgroundThread.start(niceness: ChangeHub.niceness) {
      ChangeDispatcher(catalog, mailbox, report).run()
    }
  }
}
