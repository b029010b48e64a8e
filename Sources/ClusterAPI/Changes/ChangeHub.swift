import Collections
import HTTPServer
import Threading

/// Sends watchers of viewports what changes in them, on a thread of lower priority than the event loops.
final class ChangeHub: Sendable {
  private let mailbox: WatchMailbox
  private let report: @Sendable (String) -> Void
  /// The thread, from the first watcher on.
  private let thread = Locked<SystemThread?>(nil)

  /// How far the thread's priority is lowered; see nice(2).
  private static let niceness: Int32 = 5

  init(
    limits: WatchLimits = WatchLimits(), refusals: Refusals,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.report = report
    mailbox = WatchMailbox(limits: limits, refusals: refusals)
  }

  deinit {
    mailbox.post { $0.isClosing = true }
    thread.withLock { $0 }?.detach()
  }

  /// Ends all streams, and returns when the thread has ended, which completes the update that it is at. Nobody
  /// may be added after that.
  func close() {
    mailbox.post { $0.isClosing = true }
    thread.withLock { thread in
      thread?.join()
      thread = nil
    }
  }

  var figures: WatchMailbox.Figures { mailbox.figures }

  /// Adds a client that watches something, and answers it as soon as its first event is there.
  ///
  /// - Throws: ``Problem`` 503 if there are too many watchers, 429 if there are too many of the client's address.
  func watch(
    _ key: Watch.Key, of view: CatalogView, _ subject: Watch.Subject, since: Int64?,
    by client: HTTPRequest,
    answer: @escaping Reply
  ) throws(Problem) {
    let id = try mailbox.admit(client.client)
    let isRunning = thread.withLock { thread in
      if thread == nil {
        thread = BackgroundThread.startJoinable(niceness: ChangeHub.niceness) {
          [mailbox, report] in
          ChangeDispatcher(mailbox, report).run()
        }
      }
      return thread != nil
    }
    guard isRunning else {
      mailbox.release(client.client)
      throw .unavailable("no thread could be started for watchers")
    }
    let request = Watch.Request(
      id: id, key: key, view: view, subject: subject, since: since, sent: client,
      deadline: MonotonicTime.now + UInt(mailbox.limits.seconds) * 1_000_000_000, answer: answer)
    mailbox.post { $0.requests.append(request) }
  }
}
