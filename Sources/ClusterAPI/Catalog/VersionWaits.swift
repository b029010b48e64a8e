import Dispatch
import Threading

/// Reads that wait until a collection has come to a version.
///
/// Nothing of a read is done meanwhile, on no thread: the thread that shows a version ends the waits for it, and a
/// timer, which runs as long as there are waits, those whose time is over or whose clients have gone. Few may wait, of
/// all addresses and of one. Can be used on any thread.
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
    /// For features of a tenant, which are found when they are asked for: has them looked at soon, and then
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

  /// The present waits, and which end next: the decisions, without threads and clocks, so that tests can try any order of
  /// events.
  struct State: Sendable {
    fileprivate let limits: Limits
    /// By collection, the oldest first.
    // Characters: ids of collections, which are of ASCII
    private(set) var waits: [String: [Wait]] = [:]
    /// The number of each address.
    private(set) var places: [UInt64: Int] = [:]
    private(set) var figures = Figures()
    /// Whether ``look(at:)`` will be called in a while.
    private(set) var isLookedAt = false
    private var isClosed = false

    init(limits: Limits = Limits()) { self.limits = limits }

    /// Adds a wait, and returns one that is refused for it.
    mutating func add(_ wait: Wait) throws(Problem) -> Wait? {
      if isClosed { throw .stopping }
      let place = (places[wait.client] ?? 0) + 1
      guard place <= limits.placesOfAddress else {
        let detail = "\(limits.placesOfAddress) reads of this address wait for a version already"
        throw .overShare(detail)
      }
      var refused: Wait?
      if figures.waiting >= limits.places {
        guard let most = places.max(by: { $0.value < $1.value }), most.value > place,
          let newest = takeNewest(of: most.key)
        else { throw VersionWaits.tooMany(limits.places) }
        refused = newest
      }
      waits[wait.collection, default: []].append(wait)
      places[wait.client] = place
      figures.waiting += 1
      return refused
    }

    /// Whether a look has to be scheduled.
    mutating func mustLook() -> Bool {
      guard !isLookedAt, !waits.isEmpty else { return false }
      isLookedAt = true
      return true
    }

    /// Takes the waits for a version that is shown now, and those for what tenants see of it, one of each tenant.
    mutating func show(
      _ version: Int64, of collection: String, to scope: ObjectIdentifier?
    ) -> (shown: [Wait], others: [Wait]) {
      guard waits[collection] != nil else { return ([], []) }
      let shown = take(collection) { $0.scope == scope && $0.version <= version }
      figures.shown += shown.count
      var seen: Set<ObjectIdentifier> = []
      let others = (scope == nil ? waits[collection] ?? [] : []).filter { wait in
        wait.scope.map { seen.insert($0).inserted } ?? false
      }
      return (shown, others)
    }

    /// Takes waits that have lasted too long, or whose clients have gone.
    mutating func look(at now: UInt) -> (late: [Wait], abandoned: [Wait]) {
      isLookedAt = false
      var (late, abandoned): ([Wait], [Wait]) = ([], [])
      for collection in Array(waits.keys) {
        abandoned += take(collection) { $0.isAbandoned() }
        late += take(collection) { $0.deadline <= now }
      }
      figures.late += late.count
      return (late, abandoned)
    }

    /// Takes all, and refuses others from now on.
    mutating func close() -> [Wait] {
      isClosed = true
      return waits.keys.flatMap { take($0) { _ in true } }
    }

    /// Removes and returns the waits of a collection that are over for some reason.
    private mutating func take(_ collection: String, where isOver: (Wait) -> Bool) -> [Wait] {
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

    private mutating func takeNewest(of client: UInt64) -> Wait? {
      // Waits last equally long, but for those that had to begin again.
      let newest = waits.compactMap { collection, waits in
        waits.indices.last { waits[$0].client == client }.map { (collection, $0, waits[$0]) }
      }.max { $0.2.deadline < $1.2.deadline }
      guard let (collection, index, wait) = newest else { return nil }
      waits[collection]?.remove(at: index)
      if waits[collection]?.isEmpty == true { waits[collection] = nil }
      leave(client)
      return wait
    }

    private mutating func leave(_ client: UInt64) {
      figures.waiting -= 1
      let left = (places[client] ?? 0) - 1
      places[client] = left > 0 ? left : nil
    }
  }

  private let state: Locked<State>
  private let queue = DispatchQueue(label: "pincluster.waits")

  /// The time between two looks at whose clients have gone, in nanoseconds.
  private static let period: UInt = 50_000_000

  init(limits: Limits = Limits()) { state = Locked(State(limits: limits)) }

  /// The figures now.
  var figures: Figures { state.withLock { $0.figures } }

  /// Begins a wait. If there are too many, the newest of an address with most is over.
  ///
  /// - Throws: ``Problem`` 503 if there are too many and this is that one, or the service is stopping; 429 if there are
  ///   too many of the address.
  func add(_ wait: Wait) throws(Problem) {
    let (result, isFirst) = state.withLock { state in
      let result = Result { () throws(Problem) in try state.add(wait) }
      return (result, state.mustLook())
    }
    if isFirst { schedule() }
    try result.get()?.end(.refused)
  }

  /// The answer to a read that there is no place for.
  static func tooMany(_ places: Int) -> Problem {
    .unavailable("\(places) reads wait for a version already", .waits)
  }

  /// The answer to a wait that was over because of others.
  var refusal: Problem { VersionWaits.tooMany(state.withLock { $0.limits.places }) }

  // MARK: The end

  /// Ends the waits for a version that is shown now. Where it is that of a whole collection, those for what tenants see
  /// of it are looked at soon.
  func show(_ version: Int64, of collection: String, to scope: ObjectIdentifier? = nil) {
    let (shown, others) = state.withLock { $0.show(version, of: collection, to: scope) }
    for wait in shown { wait.end(.shown) }
    for wait in others { wait.refresh?() }
  }

  /// Ends all waits, and refuses others from now on.
  func close() { for wait in state.withLock({ $0.close() }) { wait.end(.stopping) } }

  private func schedule() {
    let now = MonotonicTime.now
    let next = state.withLock { state in
      state.waits.values.lazy.flatMap { $0 }.map(\.deadline).min() ?? now
    }
    let pause = min(next - min(now, next), VersionWaits.period)
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(pause))) { [self] in look() }
  }

  /// Ends waits that have lasted too long, or whose clients have gone.
  private func look() {
    // Under the lock, so that no other thread answers meanwhile.
    let (over, isAgain) = state.withLock { ($0.look(at: MonotonicTime.now), $0.mustLook()) }
    if isAgain { schedule() }
    for wait in over.late { wait.end(.late) }
    for wait in over.abandoned { wait.end(.abandoned) }
  }
}
