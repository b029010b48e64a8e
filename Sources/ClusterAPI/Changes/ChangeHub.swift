import Threading

/// Sends watchers of viewports what changes in them, on a thread of the lowest priority.
final class ChangeHub: Sendable {
  private let catalog: Catalog
  private let mailbox = WatchMailbox()
  private let report: @Sendable (String) -> Void
  /// The thread, from the first watcher on.
  private let thread = Locked<SystemThread?>(nil)

  /// How far the thread's priority is lowered; see nice(2).
  private static let niceness: Int32 = 19

  init(catalog: Catalog, report: @escaping @Sendable (String) -> Void) {
    (self.catalog, self.report) = (catalog, report)
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

  /// Adds a client that watches a viewport, and answers it as soon as its first event is there.
  ///
  /// - Throws: ``Problem`` 503 if there are too many watchers.
  func watch(
    _ key: Watch.Key, _ viewport: ViewportRequest, since: Int64?, isToHead: Bool,
    answer: @escaping Reply
  ) throws(Problem) {
    guard let id = mailbox.admit() else {
      throw .unavailable("\(WatchMailbox.maximumWatchers) clients watch already", .watchers)
    }
    let isRunning = thread.withLock { thread in
      if thread == nil {
        thread = BackgroundThread.startJoinable(niceness: ChangeHub.niceness) {
          [catalog, mailbox, report] in
          ChangeDispatcher(catalog, mailbox, report).run()
        }
      }
      return thread != nil
    }
    guard isRunning else {
      mailbox.count { $0.watchers -= 1 }
      throw .unavailable("no thread could be started for watchers")
    }
    let request = Watch.Request(
      id: id, key: key, viewport: viewport, since: since, isToHead: isToHead, answer: answer)
    mailbox.post { $0.requests.append(request) }
  }
}
