import Dispatch
import Threading

/// Reads that wait until a collection has come to a version.
///
/// Nothing of a read is done meanwhile, on no thread: whoever shows a version ends the waits for it, and a timer, which
/// runs as long as there are waits, those whose time is over or whose clients have gone. Few may wait, of all addresses
/// and of one. Can be used on any thread.
final class VersionWaits: Sendable {
  /// How many reads may wait.
  struct Limits: Sendable {
    /// The most of all addresses.
    var places = 1000
    /// The most of one client address.
    var placesOfAddress = 250
  }

  /// Why a wait is over.
  enum End: Sendable {
    /// The version is shown.
    case shown
    /// It has lasted as long as it may.
    case late
    /// The client has gone.
    case abandoned
    /// There are too many, and most are of this address.
    case refused
    /// The service is stopping.
    case stopping
  }

  /// One of them.
  struct Wait: Sendable {
    let collection: String
    /// Stands for the features that the client sees; see ``CatalogView/scope``.
    let scope: ObjectIdentifier?
    let version: Int64
    /// The client's address.
    let client: UInt64
    /// When it is over at the latest, by ``MonotonicTime``.
    let deadline: UInt
    /// Whether the client has gone. It isn't asked once the wait is over.
    let isAbandoned: @Sendable () -> Bool
    /// For features of a tenant, which are looked at by whoever asks for them: has them looked at soon, and then
    /// ``show(_:of:to:)`` called.
    let refresh: (@Sendable () -> Void)?
    /// Is called once, and must not block.
    let end: @Sendable (End) -> Void
  }

  /// Figures for the metrics.
  struct Figures: Sendable {
    /// The waits now.
    var waiting = 0
    /// Those that were over because the version was shown, and because it wasn't in time.
    var (shown, late) = (0, 0)
  }

  private struct State: Sendable {
    /// By collection, the oldest first.
    var waits: [String: [Wait]] = [:]  // Characters: ids of collections, which are of ASCII
    /// The number of each address.
    var places: [UInt64: Int] = [:]
    var figures = Figures()
    var isTicking = false
    var isClosed = false

    /// Removes and returns the waits of a collection that are over for some reason.
    mutating func take(_ collection: String, where isOver: (Wait) -> Bool) -> [Wait] {
      var (over, rest): ([Wait], [Wait]) = ([], [])
      // Each is asked once, as the next answer may be another.
      for wait in waits[collection] ?? [] {
        if isOver(wait) { over.append(wait) } else { rest.append(wait) }
      }
      guard !over.isEmpty else { return [] }
      waits[collection] = rest.isEmpty ? nil : rest
      for wait in over { leave(wait.client) }
      return over
    }

    mutating func leave(_ client: UInt64) {
      figures.waiting -= 1
      let left = (places[client] ?? 0) - 1
      places[client] = left > 0 ? left : nil
    }
  }

  private let state = Locked(State())
  private let limits: Limits
  private let queue = DispatchQueue(label: "pincluster.waits")

  /// The time between two looks at whose clients have gone, in nanoseconds.
  private static let period: UInt = 50_000_000

  init(limits: Limits = Limits()) { self.limits = limits }

  /// The figures now.
  var figures: Figures { state.withLock { $0.figures } }

  /// Begins a wait. If there are too many, the newest of an address with most is over.
  ///
  /// - Throws: ``Problem`` 503 if there are too many and this is that one, or the service is stopping; 429 if there are
  ///   too many of the address.
  func add(_ wait: Wait) throws(Problem) {
    let (problem, refused, isFirst) = state.withLock { state -> (Problem?, Wait?, Bool) in
      if state.isClosed { return (.stopping, nil, false) }
      let place = (state.places[wait.client] ?? 0) + 1
      guard place <= limits.placesOfAddress else {
        let detail = "\(limits.placesOfAddress) reads of this address wait for a version already"
        return (.overShare(detail), nil, false)
      }
      var refused: Wait?
      if state.figures.waiting >= limits.places {
        guard let most = state.places.max(by: { $0.value < $1.value }), most.value > place,
          let newest = VersionWaits.takeNewest(of: most.key, from: &state)
        else { return (VersionWaits.tooMany(limits.places), nil, false) }
        refused = newest
      }
      state.waits[wait.collection, default: []].append(wait)
      state.places[wait.client] = place
      state.figures.waiting += 1
      defer { state.isTicking = true }
      return (nil, refused, !state.isTicking)
    }
    refused?.end(.refused)
    if isFirst { schedule() }
    if let problem { throw problem }
  }

  /// What is told to whom there is no place for.
  static func tooMany(_ places: Int) -> Problem {
    .unavailable("\(places) reads wait for a version already", .waits)
  }

  /// The answer to a wait that was over because of others.
  var refusal: Problem { VersionWaits.tooMany(limits.places) }

  private static func takeNewest(of client: UInt64, from state: inout State) -> Wait? {
    // Waits last equally long, but for those that had to begin again.
    let newest = state.waits.compactMap { collection, waits in
      waits.indices.last { waits[$0].client == client }.map { (collection, $0, waits[$0]) }
    }.max { $0.2.deadline < $1.2.deadline }
    guard let (collection, index, wait) = newest else { return nil }
    state.waits[collection]?.remove(at: index)
    if state.waits[collection]?.isEmpty == true { state.waits[collection] = nil }
    state.leave(client)
    return wait
  }

  // MARK: The end

  /// Ends the waits for a version that is shown now. Where it is that of a whole collection, those for what tenants see
  /// of it are looked at soon.
  func show(_ version: Int64, of collection: String, to scope: ObjectIdentifier? = nil) {
    let (shown, others) = state.withLock { state -> ([Wait], [Wait]) in
      guard state.waits[collection] != nil else { return ([], []) }
      let shown = state.take(collection) { $0.scope == scope && $0.version <= version }
      state.figures.shown += shown.count
      var seen: Set<ObjectIdentifier> = []
      let others = (scope == nil ? state.waits[collection] ?? [] : []).filter { wait in
        wait.scope.map { seen.insert($0).inserted } ?? false
      }
      return (shown, others)
    }
    for wait in shown { wait.end(.shown) }
    for wait in others { wait.refresh?() }
  }

  /// Ends all waits, and refuses others from now on.
  func close() {
    let waits = state.withLock { state in
      state.isClosed = true
      return state.waits.keys.flatMap { state.take($0) { _ in true } }
    }
    for wait in waits { wait.end(.stopping) }
  }

  private func schedule() {
    let now = MonotonicTime.now
    let next = state.withLock { state in
      state.waits.values.lazy.flatMap { $0 }.map(\.deadline).min() ?? now
    }
    let pause = min(next - min(now, next), VersionWaits.period)
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(pause))) { [weak self] in self?.tick() }
  }

  /// Ends what has lasted too long, or nobody waits for any more.
  private func tick() {
    let now = MonotonicTime.now
    let (late, abandoned, isLast) = state.withLock { state in
      var (late, abandoned): ([Wait], [Wait]) = ([], [])
      for collection in Array(state.waits.keys) {
        // Asked under the lock, so that nobody answers meanwhile.
        abandoned += state.take(collection) { $0.isAbandoned() }
        late += state.take(collection) { $0.deadline <= now }
      }
      state.figures.late += late.count
      state.isTicking = !state.waits.isEmpty
      return (late, abandoned, !state.isTicking)
    }
    if !isLast { schedule() }
    for wait in late { wait.end(.late) }
    for wait in abandoned { wait.end(.abandoned) }
  }
}
