import ClusterCore
import HTTPServer
import Threading

/// A watched viewport with its watchers. Only the thread that sends changes uses it.
final class Watch {
  /// A watched viewport of a collection. Watchers with the same key share the work.
  struct Key: Hashable {
    var collection: String
    /// The request's fields.
    var query: String
  }

  /// A client's request to watch a viewport.
  struct Request: Sendable {
    let id: Int
    let key: Key
    let viewport: ViewportRequest
    /// The version that the client shows already; nil if it shows none.
    let since: Int64?
    /// Whether it is a HEAD request.
    let isToHead: Bool
    /// To be called once.
    let answer: Reply
  }

  /// The least time between two events.
  static let pause = Duration.milliseconds(250)
  /// The time after which a comment is sent if there are no events.
  private static let keepAlivePeriod = Duration.seconds(15)

  let log: TouchLog
  private let view: WatchedViewport
  private let mailbox: WatchMailbox
  private let report: @Sendable (String) -> Void
  private let home = Confinement.currentThread
  private var requests: [Request] = []
  private var watchers: [Int: Watcher] = [:]
  /// Whether the collection has changed since the last step.
  var isTouched = false
  /// The earliest time of the next step.
  private var notBefore = ContinuousClock.now
  /// Whether it has ended, because the collection was dropped or the viewport can't be answered.
  private var isOver = false

  init(
    _ view: WatchedViewport, _ log: TouchLog, _ mailbox: WatchMailbox,
    report: @escaping @Sendable (String) -> Void
  ) {
    (self.view, self.log, self.mailbox, self.report) = (view, log, mailbox, report)
  }

  /// Whether there are no watchers and no requests.
  var isAbandoned: Bool { isOver || (requests.isEmpty && watchers.isEmpty) }

  /// When the next step is due; nil if there is nothing to do.
  var due: ContinuousClock.Instant? {
    home.check()
    let hasWork = isTouched || !requests.isEmpty || watchers.values.contains(where: isBehind)
    return hasWork ? notBefore : nil
  }

  private func isBehind(_ watcher: Watcher) -> Bool { watcher.version != view.version }

  func add(_ request: Request) {
    home.check()
    requests.append(request)
  }

  func begin(_ stream: ResponseStream, of watcher: Int) {
    home.check()
    watchers[watcher]?.stream = stream
  }

  func remove(_ watcher: Int) {
    home.check()
    if watchers.removeValue(forKey: watcher) != nil { mailbox.count { $0.watchers -= 1 } }
  }

  // MARK: Steps

  /// Sends all watchers what has changed, and answers requests.
  func step() {
    home.check()
    let start = ContinuousClock.now
    isTouched = false
    // Without a snapshot the collection was dropped.
    guard let snapshot = log.take() else { return close(EventText.gone, .noCollection) }
    do {
      let before = view.version
      let touched = view.isKnown ? log.coordinates(after: before) : nil
      let update = try view.update(
        to: snapshot, touched: touched, wantsView: requests.contains { $0.since == nil })
      let now = ContinuousClock.now
      // A watcher that can't take the changes is behind.
      for (id, watcher) in watchers where watcher.version == before {
        if update.changes == nil || isReady(watcher, id, now) {
          send(update.changes, to: watcher, now)
        }
      }
      try bringUp(snapshot, update.view)
    } catch {
      let problem = Problem.from(error, bodyFields: false, report: report)
      close(EventText.problem(problem.response.body), problem)
    }
    notBefore = start + Watch.pause
  }

  /// Whether a watcher can be sent an event. One that has stopped reading is dropped.
  private func isReady(_ watcher: Watcher, _ id: Int, _ now: ContinuousClock.Instant) -> Bool {
    let readiness = watcher.readiness(at: now)
    if readiness == .unresponsive {
      watchers[id] = nil
      mailbox.count {
        $0.watchers -= 1
        $0.dropped += 1
      }
      watcher.stream?.drop()
    }
    return readiness == .ready
  }

  /// Brings a watcher that is ready up to date; without an event if nothing has changed for it.
  private func send(_ event: [UInt8]?, to watcher: Watcher, _ now: ContinuousClock.Instant) {
    watcher.version = view.version
    guard let event else { return }
    watcher.send(event, at: now)
    mailbox.count { $0.events += 1 }
  }

  /// Answers requests, and brings watchers up to date that were behind and can take events again.
  private func bringUp(_ snapshot: CollectionSnapshot, _ whole: [UInt8]?) throws {
    var events = CatchUp(view: view, log: log, snapshot: snapshot, whole: whole)
    let now = ContinuousClock.now
    for (id, watcher) in watchers where isBehind(watcher) && isReady(watcher, id, now) {
      send(try events.event(since: watcher.version), to: watcher, now)
    }
    while let request = requests.first {
      let event = try events.event(since: request.since)
      requests.removeFirst()
      admit(request, event)
    }
  }

  /// Events for watchers that show other versions than the latest but one, each encoded once.
  private struct CatchUp {
    let view: WatchedViewport
    let log: TouchLog
    let snapshot: CollectionSnapshot
    /// The event with the whole viewport, once it was needed.
    var whole: [UInt8]?
    var known: [Int64: [UInt8]] = [:]

    /// The event that brings a client up to date that shows a version, or nothing; nil if nothing has changed.
    mutating func event(since version: Int64?) throws -> [UInt8]? {
      guard let version, let touched = log.coordinates(after: version) else {
        return try wholeView()
      }
      if touched.isEmpty { return nil }
      if let event = known[version] { return event }
      let event = try view.changes(touched: touched, in: snapshot) ?? wholeView()
      known[version] = event
      return event
    }

    private mutating func wholeView() throws -> [UInt8] {
      if let whole { return whole }
      let made = try view.update(to: snapshot, touched: nil, wantsView: true).view ?? []
      whole = made
      return made
    }
  }

  private func admit(_ request: Request, _ event: [UInt8]?) {
    let first = event ?? EventText.mark(version: view.version)
    var response = HTTPResponse(
      status: 200,
      headers: [
        ("Content-Type", MediaType.eventStream.rawValue), ("Cache-Control", "no-store"),
        // Keeps proxies such as nginx from buffering events.
        ("X-Accel-Buffering", "no"),
      ], body: EventText.opening + first)
    let (mailbox, id) = (self.mailbox, request.id)
    if request.isToHead {
      response.stream = { _ in }
      mailbox.count { $0.watchers -= 1 }
    } else {
      if event != nil { mailbox.count { $0.events += 1 } }
      watchers[id] = Watcher(
        version: view.version, sent: response.body.count, at: ContinuousClock.now)
      response.stream = { stream in
        mailbox.post { $0.streams.append((id, stream)) }
        stream.onEnd { mailbox.post { $0.gone.append(id) } }
      }
    }
    request.answer(.success(response))
  }

  /// Sends a comment to watchers that have been sent nothing for a while.
  func keepAlive(_ now: ContinuousClock.Instant) {
    home.check()
    for watcher in watchers.values
    where watcher.lastSent + Watch.keepAlivePeriod <= now && watcher.readiness(at: now) == .ready {
      watcher.send(EventText.keepAlive(version: watcher.version), at: now)
    }
  }

  // MARK: The end

  /// Ends all streams without another event.
  func stop() { close([], .stopping) }

  private func close(_ last: [UInt8], _ problem: Problem) {
    home.check()
    isOver = true
    mailbox.count { $0.watchers -= requests.count + watchers.count }
    for request in requests { request.answer(.failure(problem)) }
    for watcher in watchers.values {
      watcher.stream?.send(last)
      watcher.stream?.finish()
    }
    requests = []
    watchers = [:]
  }
}
