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
  private let desk: WatchMailbox
  private let report: @Sendable (String) -> Void
  private var arrivals: [Arrival] = []
  private var watchers: [Int: Watcher] = [:]
  /// Whether the collection has changed since the last step.
  var isTouched = false
  /// The next step is not before this.
  private var notBefore = ContinuousClock.now
  /// Whether nobody is watching any more because it can't go on.
  private(set) var isOver = false

  init(
    _ view: WatchedViewport, _ log: TouchLog, _ desk: WatchMailbox,
    report: @escaping @Sendable (String) -> Void
  ) {
    (self.view, self.log, self.desk, self.report) = (view, log, desk, report)
  }

  /// Whether there is nobody to tell anything.
  var isForsaken: Bool { isOver || (arrivals.isEmpty && watchers.isEmpty) }

  /// When there is something to do; nil as long as nothing happens.
  var due: ContinuousClock.Instant? {
    let hasWork = isTouched || !arrivals.isEmpty || watchers.values.contains(where: isBehind)
    return hasWork ? notBefore : nil
  }

  private func isBehind(_ watcher: Watcher) -> Bool { watcher.version != view.version }

  func add(_ arrival: Arrival) { arrivals.append(arrival) }

  func begin(_ stream: ResponseStream, of watcher: Int) { watchers[watcher]?.stream = stream }

  func remove(_ watcher: Int) {
    if watchers.removeValue(forKey: watcher) != nil { desk.dismiss() }
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
      desk.countEvent()
    case .busy: break
    case .hopeless: drop(watcher, id)
    }
  }

  private func drop(_ watcher: Watcher, _ id: Int) {
    watcher.stream?.drop()
    watchers[id] = nil
    desk.dismiss(isDropped: true)
  }

  /// Serves those who have come, and those who were behind and have time again.
  private func bringUp(_ snapshot: CollectionSnapshot, _ whole: [UInt8]?) throws {
    var events = CatchUp(view: view, log: log, snapshot: snapshot, whole: whole)
    let now = ContinuousClock.now
    for (id, watcher) in watchers where isBehind(watcher) {
      let readiness = watcher.readiness(at: now)
      if readiness == .hopeless { drop(watcher, id) }
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

  private func admit(_ arrival: Arrival, _ event: [UInt8]?) {
    let first = event ?? EventText.mark(version: view.version)
    var response = HTTPResponse(
      status: 200,
      headers: [
        ("Content-Type", MediaType.eventStream.rawValue), ("Cache-Control", "no-store"),
        // Proxies such as nginx would gather events.
        ("X-Accel-Buffering", "no"),
      ], body: EventText.opening + first)
    let (desk, id) = (self.desk, arrival.id)
    if arrival.isToHead {
      response.stream = { _ in }
      desk.dismiss()
    } else {
      if event != nil { desk.countEvent() }
      watchers[id] = Watcher(
        version: view.version, sent: response.body.count, at: ContinuousClock.now)
      response.stream = { stream in
        desk.post { $0.streams.append((id, stream)) }
        stream.onEnd { desk.post { $0.gone.append(id) } }
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
    desk.dismiss(arrivals.count + watchers.count)
    arrivals = []
    watchers = [:]
  }

  /// Ends all streams, and sends nothing more.
  func leave() {
    close([], Problem.unavailable("the service is stopping"))
  }
}

/// Events for those who show something else than the others, each made once.
private struct CatchUp {
  let view: WatchedViewport
  let log: TouchLog
  let snapshot: CollectionSnapshot
  /// The event with the whole view, once it was needed.
  var whole: [UInt8]?
  private var known: [Int64: [UInt8]] = [:]

  init(view: WatchedViewport, log: TouchLog, snapshot: CollectionSnapshot, whole: [UInt8]?) {
    (self.view, self.log, self.snapshot, self.whole) = (view, log, snapshot, whole)
  }

  /// What brings somebody up to date who shows a version, or nothing; nil where nothing has changed.
  mutating func event(since version: Int64?) throws -> [UInt8]? {
    guard let version, let touched = log.coordinates(after: version) else { return try wholeView() }
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
