import ClusterCore
import HTTPServer

/// A view that is watched, with all who watch it. Belongs to the thread that tells of changes.
final class Watch {
  /// The least time between two events.
  static let pause = Duration.milliseconds(250)
  /// After so long a silence clients are told that the connection lives.
  static let keepAlivePeriod = Duration.seconds(15)

  let log: TouchLog
  private let view: WatchedViewport
  private let mailbox: WatchMailbox
  private let report: @Sendable (String) -> Void
  private var arrivals: [WatchRequest] = []
  private var watchers: [Int: Watcher] = [:]
  /// Whether the collection has changed since the last step.
  var isTouched = false
  /// The next step is not before this.
  private var notBefore = ContinuousClock.now
  /// Whether nobody is watching any more because it can't go on.
  private(set) var isOver = false

  init(
    _ view: WatchedViewport, _ log: TouchLog, _ mailbox: WatchMailbox,
    report: @escaping @Sendable (String) -> Void
  ) {
    (self.view, self.log, self.mailbox, self.report) = (view, log, mailbox, report)
  }

  /// Whether there is nobody to tell anything.
  var isAbandoned: Bool { isOver || (arrivals.isEmpty && watchers.isEmpty) }

  /// When there is something to do; nil as long as nothing happens.
  var due: ContinuousClock.Instant? {
    let hasWork = isTouched || !arrivals.isEmpty || watchers.values.contains(where: isBehind)
    return hasWork ? notBefore : nil
  }

  private func isBehind(_ watcher: Watcher) -> Bool { watcher.version != view.version }

  func add(_ arrival: WatchRequest) { arrivals.append(arrival) }

  func begin(_ stream: ResponseStream, of watcher: Int) { watchers[watcher]?.stream = stream }

  func remove(_ watcher: Int) {
    if watchers.removeValue(forKey: watcher) != nil { mailbox.dismiss() }
  }

  // MARK: Steps

  /// Tells everybody what has changed.
  func step() {
    let start = ContinuousClock.now
    isTouched = false
    guard let snapshot = log.take() else { return end() }
    do {
      let before = view.version
      let touched = view.isKnown ? log.coordinates(after: before) : nil
      let update = try view.update(
        to: snapshot, touched: touched, wantsView: arrivals.contains { $0.since == nil })
      tell(update.changes, before)
      try bringUp(snapshot, update.view)
    } catch {
      fail(error)
    }
    notBefore = start + Watch.pause
  }

  /// Sends the changes to those who show the version before. Who can't take them now is behind.
  private func tell(_ changes: [UInt8]?, _ before: Int64) {
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

  /// Serves those who have come, and those who were behind and have time again.
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
    while let arrival = arrivals.first {
      let event = try events.event(since: arrival.since)
      arrivals.removeFirst()
      admit(arrival, event)
    }
  }

  private func admit(_ arrival: WatchRequest, _ event: [UInt8]?) {
    let first = event ?? EventText.mark(version: view.version)
    var response = HTTPResponse(
      status: 200,
      headers: [
        ("Content-Type", MediaType.eventStream.rawValue), ("Cache-Control", "no-store"),
        // Proxies such as nginx would gather events.
        ("X-Accel-Buffering", "no"),
      ], body: EventText.opening + first)
    let (mailbox, id) = (self.mailbox, arrival.id)
    if arrival.isToHead {
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
    arrival.answer(.success(response))
  }

  /// Shows those who have heard nothing for a while that the connection lives.
  func keepAlive(_ now: ContinuousClock.Instant) {
    for watcher in watchers.values
    where watcher.lastSent + Watch.keepAlivePeriod <= now && watcher.readiness(at: now) == .ready {
      watcher.send(EventText.keepAlive(version: watcher.version), at: now)
    }
  }

  // MARK: The end

  /// The collection was dropped.
  private func end() { close(EventText.gone, Problem.notFound("there is no such collection")) }

  /// The view can't be answered, or not any more.
  private func fail(_ error: any Error) {
    let problem = Problem.from(error, bodyFields: false, report: report)
    close(EventText.problem(problem.response.body), problem)
  }

  private func close(_ last: [UInt8], _ problem: Problem) {
    isOver = true
    for arrival in arrivals { arrival.answer(.failure(problem)) }
    for watcher in watchers.values {
      watcher.stream?.send(last)
      watcher.stream?.finish()
    }
    mailbox.dismiss(arrivals.count + watchers.count)
    arrivals = []
    watchers = [:]
  }

  /// Ends all streams, and sends nothing more.
  func leave() {
    close([], .stopping)
  }
}
