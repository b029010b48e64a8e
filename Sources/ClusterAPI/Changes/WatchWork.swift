import Collections
import Threading

/// The work of a step of a watch: bringing its viewport up to date, and encoding events. It may be done on another
/// thread.
///
/// `@unchecked Sendable`: only the thread that does the work uses the viewport until it is done.
struct WatchWork: @unchecked Sendable {
  /// The events that clients need.
  struct Events: Sendable {
    /// For those that show the version before; nil if nothing has changed for them.
    var changes: [UInt8]?
    /// For those that show another version, or nothing; none where nothing has changed.
    var since: [Int64?: [UInt8]] = [:]
  }

  /// The result of the work.
  struct Product: Sendable {
    var events: Result<Events, any Error>
    /// The version that the viewport shows now.
    var version: Int64
    /// The memory of the viewport, in bytes.
    var byteCount: Int
    /// The processor time that it took, in seconds.
    var seconds: Double
  }

  let view: any Watched
  let log: InvalidationLog
  let snapshot: CollectionSnapshot
  /// The versions, other than that of the viewport, that clients show; nil for nothing.
  let shown: Set<Int64?>

  /// Does the first step of a viewport if that takes no longer than some nanoseconds, and any other step; nil if it was
  /// given up, and has to begin again.
  func run(firstAtMost most: UInt) -> Product? {
    if view.isKnown { return run() }
    if let product = Cancellation.run(atMost: most, run) { return product }
    view.reset()
    return nil
  }

  /// Does it.
  func run() -> Product {
    let start = ThreadTime.now
    let events = Result { try update() }
    return Product(
      events: events, version: view.version, byteCount: view.byteCount,
      seconds: Double(ThreadTime.now - start) / 1e9)
  }

  private func update() throws -> Events {
    let invalidated = view.isKnown ? log.coordinates(after: view.version) : nil
    let update = try view.update(
      to: snapshot, invalidated: invalidated, wantsView: shown.contains(nil))
    var events = Events(changes: update.changes)
    var whole = update.view
    for version in shown { events.since[version] = try event(since: version, &whole) }
    return events
  }

  /// The event that brings a client up to date that shows a version, or nothing; nil if nothing has changed.
  private func event(since version: Int64?, _ whole: inout [UInt8]?) throws -> [UInt8]? {
    if let version, let invalidated = log.coordinates(after: version) {
      if invalidated.isEmpty { return nil }
      switch try view.missed(invalidated: invalidated, in: snapshot) {
      case .nothing: return nil
      case .event(let event): return event
      case .everything: break
      }
    }
    if let whole { return whole }
    let made = try view.update(to: snapshot, invalidated: nil, wantsView: true).view ?? []
    whole = made
    return made
  }
}
