import Dispatch
import Threading

/// Reads that wait until a collection has come to a version.
///
/// Nothing of a read is done meanwhile, on no thread: the thread that shows a version ends the waits for it, and a
/// timer, which runs as long as there are waits, those whose time is over or whose clients have gone. Few may wait, of
/// all addresses and of one. Can be used on any thread.
package final class VersionWaits: Sendable {
  /// How many reads may wait.
  package struct Limits: Sendable {
    /// The most of all addresses.
    var places = 1000
    /// The most of one client address.
    var placesOfAddress = 250
  }

  /// Why a wait can't begin, or is over because of others.
  package enum Failure: Error, Equatable {
    /// The service is stopping.
    case stopping
    /// The given number of reads of the client's address wait already.
    case addressShare(Int)
    /// The given number of reads wait already.
    case full(Int)
  }

  /// Why a wait is over.
  package enum End: Sendable {
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
  package struct Wait: Sendable {
    package let collection: String
    /// Stands for the features that the client sees; see ``CatalogView/tenantID``.
    package let tenantID: ObjectIdentifier?
    package let version: Int64
    /// The client's address.
    package let client: UInt64
    /// When it is over at the latest, by ``MonotonicTime``.
    package let deadline: UInt
    /// Whether the client has gone. It isn't asked once the wait is over.
    package let isAbandoned: @Sendable () -> Bool
    /// For features of a tenant, which are found when they are asked for: has them looked at soon, and then
    /// ``show(_:of:to:)`` called.
    package let refresh: (@Sendable () -> Void)?
    /// Is called once, and must not block.
    package let end: @Sendable (End) -> Void

    /// A wait of a read.
    package init(
      collection: String, tenantID: ObjectIdentifier?, version: Int64, client: UInt64,
      deadline: UInt,
      isAbandoned: @escaping @Sendable () -> Bool, refresh: (@Sendable () -> Void)?,
      end: @escaping @Sendable (End) -> Void
    ) {
      (self.collection, self.tenantID, self.version) = (collection, tenantID, version)
      (self.client, self.deadline) = (client, deadline)
      (self.isAbandoned, self.refresh, self.end) = (isAbandoned, refresh, end)
    }
  }

  /// Figures for the metrics.
  package struct Figures: Sendable {
    /// The waits now.
    package var waiting = 0
    /// Those that were over because the version was shown, and because it wasn't in time.
    package var (shown, late) = (0, 0)
  }

  /// The present waits, and which end next: the decisions, without threads and clocks, so that tests can try any order of
  /// events.
  struct State: Sendable {
    /// By collection, the oldest first.
    // Characters: ids of collections, which are of ASCII
    private(set) var waits: [String: [Wait]] = [:]
    /// The number of each address.
    private(set) var places: ClientLedger
    private var ended = Figures()
    /// Whether ``look(at:)`` will be called in a while.
    private(set) var isLookedAt = false
    private var isClosed = false

    init(limits: Limits = Limits()) {
      places = ClientLedger(all: limits.places, each: limits.placesOfAddress)
    }

    var figures: Figures {
      var figures = ended
      figures.waiting = places.total
      return figures
    }

    /// Adds a wait, and returns one that is refused for it.
    mutating func add(_ wait: Wait) throws(Failure) -> Wait? {
      if isClosed { throw .stopping }
      var refused: Wait?
      switch places.refusal(of: 1, for: wait.client) {
      case nil: break
      case .share: throw .addressShare(places.each)
      case .full:
        guard let greedy = places.greediest, places[greedy] > places[wait.client] + 1,
          let newest = takeNewest(of: greedy)
        else { throw .full(places.all) }
        refused = newest
      }
      waits[wait.collection, default: []].append(wait)
      places.add(1, for: wait.client)
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
      _ version: Int64, of collection: String, to tenantID: ObjectIdentifier?
    ) -> (shown: [Wait], others: [Wait]) {
      guard waits[collection] != nil else { return ([], []) }
      let shown = take(collection) { $0.tenantID == tenantID && $0.version <= version }
      ended.shown += shown.count
      var seen: Set<ObjectIdentifier> = []
      let others = (tenantID == nil ? waits[collection] ?? [] : []).filter { wait in
        wait.tenantID.map { seen.insert($0).inserted } ?? false
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
      ended.late += late.count
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
      for wait in over { places.give(1, of: wait.client) }
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
      places.give(1, of: client)
      return wait
    }
  }

  private let state: Locked<State>
  private let queue = DispatchQueue(label: "pincluster.waits")

  /// The time between two looks at whose clients have gone, in nanoseconds.
  private static let period: UInt = 50_000_000

  package init(limits: Limits = Limits()) { state = Locked(State(limits: limits)) }

  /// The figures now.
  package var figures: Figures { state.withLock { $0.figures } }

  /// Begins a wait. If there are too many, the newest of an address with most is over, unless this is that one.
  ///
  /// - Throws: ``Failure`` if it is over at once, as others have the places or all ends.
  package func add(_ wait: Wait) throws(Failure) {
    let (result, isFirst) = state.withLock { state in
      let result = Result { () throws(Failure) in try state.add(wait) }
      return (result, state.mustLook())
    }
    if isFirst { schedule() }
    try result.get()?.end(.refused)
  }

  /// The reason of a wait that was over because of others.
  package var refusal: Failure { .full(state.withLock { $0.places.all }) }

  // MARK: The end

  /// Ends the waits for a version that is shown now. Where it is that of a whole collection, those for what tenants see
  /// of it are looked at soon.
  ///
  /// - Complexity: O(waits for the collection).
  package func show(_ version: Int64, of collection: String, to tenantID: ObjectIdentifier? = nil) {
    let (shown, others) = state.withLock { $0.show(version, of: collection, to: tenantID) }
    for wait in shown { wait.end(.shown) }
    for wait in others { wait.refresh?() }
  }

  /// Ends all waits, and refuses others from now on.
  package func close() { for wait in state.withLock({ $0.close() }) { wait.end(.stopping) } }

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
