import ClusterCore
import HTTPServer

/// A watched viewport with its watchers. Only the thread that sends changes uses it.
final class Watch {
  /// The least time between two events.
  static let pause = Duration.milliseconds(250)
  /// The time after which a comment is sent if there are no events.
  static let keepAlivePeriod = Duration.seconds(15)

  let log: TouchLog
  private let view: WatchedViewport
  private let mailbox: WatchMailbox
  private let report: @Sendable (String) -> Void
  private var requests: [WatchRequest] = []
  private var watchers: [Int: Watcher] = [:]
  /// Whether the collection has changed since the last step.
  var isTouched = false
  /// The earliest time of the next step.
  private var notBefore = ContinuousClock.now
  /// Whether it has ended, because the collection was dropped or the viewport can't be answered.
  private(set) var isOver = false

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
    let hasWork = isTouched || !requests.isEmpty || watchers.values.contains(where: isBehind)
    return hasWork ? notBefore : nil
  }

  private func isBehind(_ watcher: Watcher) -> Bool { watcher.version != view.version }

  func add(_ request: WatchRequest) { requests.append(request) }

  func begin(_ stream: ResponseStream, of watcher: Int) { watchers[watcher]?.stream = stream }

  func remove(_ watcher: Int) {
    if watchers.removeValue(forKey: watcher) != nil { mailbox.dismiss() }
  }

  // MARK: Steps

  /// Sends all watchers what has changed, and answers requests.
  func step() {
    let start = ContinuousClock.now
    isTouched = false
    guard let snapshot = log.take() else { return end() }
    do {
      let before = view.version
      let touched = view.isKnown ? log.coordinates(after: before) : nil
      let update = try view.update(
        to: snapshot, touched: touched, wantsView: requests.contains { $0.since == nil })
      send(update.changes, before)
      try bringUp(snapshot, update.view)
    } catch {
      fail(error)
    }
    notBefore = start + Watch.pause
  }

  /// Sends the changes to watchers that show the version before. A watcher that can't take them is behind.
  private func send(_ changes: [UInt8]?, _ before: Int64) {
    let now = ContinuousClock.now
    for (id, watcher) in watchers where watcher.version == before {
      guard let changes else {
        watcher.version = view.version
        continue
      }
      send(changes, to: watcher, id, now)
    }
  }

  private func send(
    _ event: [UInt8], to watcher: Watcher, _ id: Int, _ now: ContinuousClock.Instant
  ) {
    switch watcher.readiness(at: now) {
    case .ready:
      watcher.send(event, at: now)
      watcher.version = view.version
      mailbox.countEvent()
    case .busy: break
    case .unresponsive: drop(watcher, id)
    }
  }

  private func drop(_ watcher: Watcher, _ id: Int) {
    watcher.stream?.drop()
    watchers[id] = nil
    mailbox.dismiss(isDropped: true)
  }

  /// Answers requests, and brings watchers up to date that were behind and can take events again.
  private func bringUp(_ snapshot: CollectionSnapshot, _ whole: [UInt8]?) throws {
    var events = CatchUp(view: view, log: log, snapshot: snapshot, whole: whole)
    let now = ContinuousClock.now
    for (id, watcher) in watchers where isBehind(watcher) {
      let readiness = watcher.readiness(at: now)
      if readiness == .unresponsive { drop(watcher, id) }
      guard readiness == .ready else { continue }
      if let event = try events.event(since: watcher.version) {
        send(event, to: watcher, id, now)
      } else {
        watcher.version = view.version
      }
    }
    while let request = requests.first {
      let event = try events.event(since: request.since)
      requests.removeFirst()
      admit(request, event)
    }
  }

  private func admit(_ request: WatchRequest, _ event: [UInt8]?) {
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
      mailbox.dismiss()
    } else {
      if event != nil { mailbox.countEvent() }
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
    for watcher in watchers.values
    where watcher.lastSent + Watch.keepAlivePeriod <= now && watcher.readiness(at: now) == .ready {
      watcher.send(EventText.keepAlive(version: watcher.version), at: now)
    }
  }

  // MARK: The end

  /// Ends the watch because the collection was dropped.
  private func end() { close(EventText.gone, Problem.notFound("there is no such collection")) }

  /// Ends the watch because the viewport can't be answered.
  private func fail(_ error: any Error) {
    let problem = Problem.from(error, bodyFields: false, report: report)
    close(EventText.problem(problem.response.body), problem)
  }

  private func close(_ last: [UInt8], _ problem: Problem) {
    isOver = true
    for request in requests { request.answer(.failure(problem)) }
    for watcher in watchers.values {
      watcher.stream?.send(last)
      watcher.stream?.finish()
    }
    mailbox.dismiss(requests.count + watchers.count)
    requests = []
    watchers = [:]
  }

  /// Ends all streams without another event.
  func stop() {
    close([], .stopping)
  }
}
