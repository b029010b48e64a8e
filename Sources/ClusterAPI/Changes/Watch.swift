import AccessControl
import ClusterCore
import Collections
import HTTPServer
import Texts
import Threading

/// A watched viewport with its watchers. Only the thread that sends changes uses it.
final class Watch {
  /// A watched viewport of a collection. Watchers with the same key share the work.
  struct Key: Hashable {
    var collection: String
    /// Stands for the features that the client sees; see ``CatalogView/tenantID``.
    var tenantID: ObjectIdentifier?
    /// The request's fields.
    var query: ExactText
  }

  /// Where a watcher is: its watch, which may be another of the same key by now, and its own number.
  struct Place: Sendable {
    let key: Key
    let id: Int
  }

  /// The subject of a watch.
  enum Subject: Sendable {
    case viewport(ViewportRequest)
    case tiles(WatchedTiles.Request)
  }

  /// A client's request to watch a viewport.
  struct Request: Sendable {
    let id: Int
    let key: Key
    /// The client's view of the collections.
    let view: CatalogView
    let subject: Subject
    /// The version that the client shows already; nil if it shows none.
    let since: Int64?
    /// The request as it came, which isn't asked for its client after the answer.
    let sent: HTTPRequest
    /// When it has to be answered, by ``MonotonicTime``.
    let deadline: UInt
    /// To be called once.
    let answer: Reply

    /// The client's address.
    var client: UInt64 { sent.client }
  }

  /// The least time between two events.
  static let pause = Duration.milliseconds(250)
  /// The most seconds that a step takes on the thread that sends changes.
  static let quickStep = 0.02
  /// The pause after a step, as a multiple of its duration.
  private static let rest = 4.0
  /// The most versions, other than that of the viewport, from which clients are brought up to date in one step.
  static let versionsOfStep = 16
  /// The time after which a comment is sent if there are no events.
  private static let keepAlivePeriod = Duration.seconds(15)

  let log: InvalidationLog
  /// The view of its first client, which all of them share.
  let catalog: CatalogView
  private let view: any Watched
  private let mailbox: WatchMailbox
  private let report: @Sendable (String) -> Void
  private let home = Isolation.currentThread
  private var requests: [Request] = []
  private var watchers: [Int: Watcher] = [:]
  /// The number of those of each address.
  private var clients = ClientLedger()
  /// The version that the viewport showed after the last step.
  private var version: Int64 = 0
  /// The seconds that a step is expected to take.
  private(set) var cost: Double
  /// The memory of the viewport, in bytes.
  private(set) var byteCount = 0
  /// The memory of its key and request, in bytes.
  private let extraBytes: Int
  /// Whether a step has begun and not ended.
  private(set) var isBusy = false
  private var started = ContinuousClock.now
  /// At the beginning of the step, the versions of the watchers that were behind, and the number of requests.
  private var behind: [Int: Int64] = [:]
  private var asked = 0
  /// Whether the collection has changed since the last step.
  var isTouched = false
  /// The earliest time of the next step.
  private var notBefore = ContinuousClock.now
  /// Whether it has ended, because the collection was dropped or the viewport can't be answered.
  private var isOver = false

  /// A watch without watchers. `extraBytes` is the memory of its key and request.
  init(
    _ view: any Watched, of catalog: CatalogView, extraBytes: Int, _ log: InvalidationLog,
    _ mailbox: WatchMailbox, report: @escaping @Sendable (String) -> Void
  ) {
    (self.view, self.log, self.mailbox, self.report) = (view, log, mailbox, report)
    self.catalog = catalog
    self.extraBytes = extraBytes
    byteCount = extraBytes
    cost = 0
  }

  /// Whether there are no watchers and no requests.
  var isAbandoned: Bool { isOver || (requests.isEmpty && watchers.isEmpty) }

  /// Whether steps are so short that the thread that sends changes can do them itself.
  var isQuick: Bool { cost <= Watch.quickStep }

  /// The addresses of its watchers and of clients that ask to watch.
  var addresses: [UInt64] { clients.clients }

  /// When the next step is due; nil if there is nothing to do.
  var due: ContinuousClock.Instant? {
    home.check()
    guard !isBusy, !isOver else { return nil }
    let hasWork = isTouched || !requests.isEmpty || watchers.values.contains(where: isBehind)
    return hasWork ? notBefore : nil
  }

  private func isBehind(_ watcher: Watcher) -> Bool { watcher.version != version }

  func add(_ request: Request) {
    home.check()
    requests.append(request)
    clients.add(1, for: request.client)
  }

  func begin(_ stream: ResponseStream, of watcher: Int) {
    home.check()
    watchers[watcher]?.stream = stream
  }

  func remove(_ watcher: Int) {
    home.check()
    if let watcher = watchers.removeValue(forKey: watcher) { leave(watcher.client) }
  }

  /// Notes that a client isn't a watcher any more, before it is told so.
  private func leave(_ client: UInt64) {
    clients.give(1, of: client)
    mailbox.release(client)
  }

  // MARK: Steps

  /// Begins a step and returns its work, with whose outcome ``finish(_:)`` must be called; nil if there is nothing
  /// to do.
  func begin() -> WatchWork? {
    home.check()
    isTouched = false
    refuseOld()
    // Without a snapshot the collection was dropped.
    guard let snapshot = log.take() else {
      end()
      return nil
    }
    let now = ContinuousClock.now
    started = now
    behind = watchers.filter { isBehind($1) && isReady($1, $0, now) }.mapValues(\.version)
    guard !isAbandoned else { return nil }
    isBusy = true
    // The rest waits for the next step: of watchers those that show the latest versions, of requests the last.
    let versions = Set(Set(behind.values).sorted().prefix(Watch.versionsOfStep / 2))
    behind = behind.filter { versions.contains($0.value) }
    var shown = Set<Int64?>(versions)
    asked = 0
    for request in requests {
      if !shown.contains(request.since), shown.count == Watch.versionsOfStep { break }
      shown.insert(request.since)
      asked += 1
    }
    return WatchWork(view: view, log: log, snapshot: snapshot, shown: shown)
  }

  /// Refuses requests whose clients have gone, or whose time is up, though the step that is for them may go on.
  func refuseOld() {
    home.check()
    guard !requests.isEmpty else { return }
    let now = MonotonicTime.now
    let old = requests.map { request -> Problem? in
      if request.sent.isAbandoned { return Problem(499, "the client has gone") }
      return now >= request.deadline ? .late(mailbox.limits.seconds) : nil
    }
    guard old.contains(where: { $0 != nil }) else { return }
    let before = requests
    requests = zip(before, old).filter { $1 == nil }.map(\.0)
    asked = old.prefix(asked).count { $0 == nil }
    for case (let request, let problem?) in zip(before, old) {
      leave(request.client)
      request.answer(.failure(problem))
    }
  }

  /// Ends the first step without an outcome, as it takes too long for the thread that sends changes.
  func giveUp() {
    home.check()
    (isBusy, isTouched, asked, behind) = (false, true, 0, [:])
    cost = Watch.quickStep * 2
  }

  /// Ends a step: sends the changes to all watchers, and answers requests.
  func finish(_ outcome: WatchWork.Product) {
    home.check()
    isBusy = false
    byteCount = outcome.byteCount + extraBytes
    guard !isOver else { return }
    let before = version
    version = outcome.version
    switch outcome.events {
    case .success(let events): send(events, before)
    case .failure(let error): close(because: Problem.from(error, bodyFields: false, report: report))
    }
    // An expensive step may follow a cheap one.
    cost = max(outcome.seconds, cost / 2)
    notBefore = max(started + Watch.pause, .now + .seconds(cost * Watch.rest))
  }

  private func send(_ events: WatchWork.Events, _ before: Int64) {
    let now = ContinuousClock.now
    // A watcher that can't take the changes is behind.
    for (id, watcher) in watchers where watcher.version == before {
      if events.changes == nil || isReady(watcher, id, now) {
        send(events.changes, to: watcher, now)
      }
    }
    for (id, shown) in behind {
      guard let watcher = watchers[id], isReady(watcher, id, now) else { continue }
      send(events.since[shown], to: watcher, now)
    }
    for request in requests.prefix(asked) { admit(request, events.since[request.since]) }
    requests.removeFirst(asked)
    asked = 0
  }

  /// Whether a watcher can be sent an event. One that has stopped reading is dropped.
  private func isReady(_ watcher: Watcher, _ id: Int, _ now: ContinuousClock.Instant) -> Bool {
    let readiness = watcher.readiness(at: now)
    if readiness == .unresponsive {
      watchers[id] = nil
      leave(watcher.client)
      mailbox.count { $0.dropped += 1 }
      mailbox.refusals.count(.slowWatcher)
      watcher.stream?.drop()
    }
    return readiness == .ready
  }

  /// Brings a watcher that is ready up to date; without an event if nothing has changed for it.
  private func send(_ event: [UInt8]?, to watcher: Watcher, _ now: ContinuousClock.Instant) {
    watcher.version = version
    guard let event else { return }
    watcher.send(event, at: now)
    mailbox.count { $0.events += 1 }
  }

  private func admit(_ request: Request, _ event: [UInt8]?) {
    let first = event ?? EventText.mark(version: version)
    var response = HTTPResponse(
      status: 200,
      headers: [
        ("Content-Type", MediaType.eventStream.rawValue), Caching.never.field,
        // Keeps proxies such as nginx from buffering events.
        ("X-Accel-Buffering", "no"),
      ], body: EventText.opening + first)
    let (mailbox, id) = (self.mailbox, request.id)
    let place = Place(key: request.key, id: id)
    if request.sent.method == .head {
      response.stream = { _ in }
      leave(request.client)
    } else {
      if event != nil { mailbox.count { $0.events += 1 } }
      watchers[id] = Watcher(
        of: request.client, request.view, version: version, sent: response.body.count,
        at: ContinuousClock.now)
      response.stream = { stream in
        mailbox.post { $0.streams.append((place, stream)) }
        stream.onEnd { mailbox.post { $0.gone.append(place) } }
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

  /// Ends the streams of clients whose grant doesn't cover this any more.
  func endInvalid() {
    home.check()
    guard catalog.isChecked else { return }
    for (id, watcher) in watchers {
      guard let loss = watcher.view.loss else { continue }
      watchers[id] = nil
      leave(watcher.client)
      let problem = Problem(loss)
      mailbox.refusals.count(problem)
      watcher.stream?.send(EventText.problem(problem.response.body))
      watcher.stream?.finish()
    }
  }

  /// Ends all streams without another event.
  func stop() { close([], .stopping) }

  /// Ends all streams, as the collection was dropped.
  func end() { close(EventText.gone, .noCollection) }

  /// Ends all streams, as the viewport can't be watched any more.
  func close(because problem: Problem) {
    close(EventText.problem(problem.response.body), problem)
  }

  private func close(_ last: [UInt8], _ problem: Problem) {
    home.check()
    isOver = true
    for request in requests { leave(request.client) }
    for watcher in watchers.values { leave(watcher.client) }
    for request in requests { request.answer(.failure(problem)) }
    for watcher in watchers.values {
      watcher.stream?.send(last)
      watcher.stream?.finish()
    }
    requests = []
    watchers = [:]
  }
}
