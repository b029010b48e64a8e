import ClusterCore
import FeatureStore
import Threading

/// Those features of a collection that pass a filter, as a collection of their own: with versions, caches and a log of
/// changes that tell nothing of any others.
///
/// Each request for it brings it up to date, from the collection as it is then.
final class FilteredView: Sendable {
  private struct State: Sendable {
    var filtered: FilteredCollection
    /// The description of the whole collection when this was up to date.
    var whole: CollectionInfo
    /// The place of that snapshot.
    var place: Int
    var snapshot: CollectionSnapshot
    /// Nil until the first client watches.
    var log: InvalidationLog?

    func isCurrent(for other: CollectionSnapshot) -> Bool {
      // Another thread may know a later one.
      let shown = other.place.load(ordering: .relaxed)
      return shown == 0 ? whole.version >= other.info.version : place >= shown
    }
  }

  private let filter: FilterExpression
  private let state = Locked<State?>(nil)
  /// Held while a version is made, which may take long.
  private let making = Locked<Bool>(false)

  init(_ filter: FilterExpression) { self.filter = filter }

  /// The last time that was taken for a version.
  private static let last = Locked<Int64>(0)

  /// A time for a version, in microseconds since 1970 (UTC), which is later than any before: the machine's clock may be set
  /// back, also while a view isn't there.
  private static var now: Int64 {
    last.withLock { last in
      last = max(SystemTime.now, last + 1)
      return last
    }
  }

  /// Whether a version has been made, so that the next one takes little.
  var isMade: Bool { state.withLock { $0 != nil } }

  /// The features of the version that was made last.
  var featureCount: Int { state.withLock { $0?.snapshot.index.count ?? 0 } }

  /// The version that was made last; nil if none was.
  var version: Int64? { state.withLock { $0?.snapshot.info.version } }

  /// The way in which ``snapshot(of:)`` comes to what passes of a collection.
  func plan(for whole: CollectionSnapshot) -> FilterPlan {
    guard let state = state.withLock({ $0 }) else { return .selectedFromAll }
    if state.isCurrent(for: whole) { return .remembered }
    return state.whole.key == whole.info.key
      ? state.filtered.plan(to: whole.index) : .selectedFromAll
  }

  /// The passing features of a collection as it is now, or later. Where that is much work, work that has a limit of time ends
  /// with this, as with ``Cancellation/run(atMost:_:)``.
  ///
  /// - Throws: ``CollectionsError/noMemoryForView``.
  func snapshot(of whole: CollectionSnapshot.Dated) throws -> CollectionSnapshot {
    if let current = current(for: whole.snapshot) { return current }
    if Cancellation.isLimited, plan(for: whole.snapshot) == .selectedFromAll,
      Cancellation.stopIfLimited()
    {
      throw CollectionsError.outdated
    }
    return try making.withLongLock { _ in
      if let current = current(for: whole.snapshot) { return current }
      let before = state.withLock { $0 }
      let made = try make(after: before, of: whole)
      let log = state.withLock { state in
        var next = made.state
        // A client may have begun to watch meanwhile.
        let log = state?.log
        next.log = made.isAnother ? nil : log
        state = next
        if made.isAnother {
          log?.end()
        } else if made.state.snapshot !== before?.snapshot {
          log?.append(next.snapshot, made.invalidated)
        }
        return log
      }
      log?.notify()
      return made.state.snapshot
    }
  }

  /// The passing features of a collection that has come to a time asked for as a version. Their version is at least
  /// that time: another instance that shows the same features may have given them a later version, as it was asked
  /// later. It is one up to which everything is known: at the time itself there may have been features that came and went
  /// while this instance didn't look.
  func snapshot(of whole: CollectionSnapshot.Dated, from asked: Int64) throws -> CollectionSnapshot
  {
    let made = try snapshot(of: whole)
    guard made.info.version < asked, asked <= whole.settled else { return made }
    return making.withLongLock { _ in
      let (snapshot, log) = state.withLock { state -> (CollectionSnapshot?, InvalidationLog?) in
        guard let current = state?.snapshot, current.info.version < asked else {
          return (state?.snapshot, nil)
        }
        let raised = current.changed(to: whole.settled)
        raised.cache?.invalidate([], at: whole.settled)
        state?.snapshot = raised
        state?.log?.append(raised, [])
        return (raised, state?.log)
      }
      log?.notify()
      return snapshot ?? made
    }
  }

  /// A state after another one, where they differ, and whether the collection was dropped and created again.
  private typealias Step = (state: State, invalidated: [Coordinate]?, isAnother: Bool)

  private func make(after before: State?, of whole: CollectionSnapshot.Dated) throws -> Step {
    do {
      return try Cancellation.uninterrupted { try next(after: before, of: whole) }
    } catch is RecordArena.Full {
      throw CollectionsError.noMemoryForView
    }
  }

  private func current(for whole: CollectionSnapshot) -> CollectionSnapshot? {
    state.withLock { state in
      state.flatMap { $0.isCurrent(for: whole) ? $0.snapshot : nil }
    }
  }

  /// The next state. Versions of the whole collection would tell how much others write, so they are times in microseconds
  /// since 1970, which a restart doesn't take back. Where instances share a store, they mean the same on all of them, and
  /// are those of own changes, or full seconds: at a first look, and where it isn't known when in that second it was. Until
  /// that second is over, the view stays as it is.
  private func next(after before: State?, of whole: CollectionSnapshot.Dated) throws -> Step {
    guard let recent = whole.recent else {
      let time = whole.snapshot.info.time > 0 ? whole.snapshot.info.time : FilteredView.now
      return try first(of: whole.snapshot, after: before, at: time)
    }
    let (base, place) = (recent.base, recent.base.place.load(ordering: .relaxed))
    if let before, before.whole.key == base.info.key, before.place >= place {
      return try step(after: before, to: whole.snapshot, recent) ?? (before, [], false)
    }
    let first = try first(of: base, after: before, at: recent.settled)
    guard base !== whole.snapshot,
      let second = try step(after: first.state, to: whole.snapshot, recent)
    else { return first }
    let invalidated = first.invalidated.flatMap { first in second.invalidated.map { first + $0 } }
    return (second.state, invalidated, first.isAnother)
  }

  /// A step to a version of the whole collection at a known time, perhaps the first one.
  private func first(
    of whole: CollectionSnapshot, after before: State?, at time: Int64
  ) throws -> Step {
    if let before,
      let step = try step(after: before, to: whole, at: { isOther in isOther ? .at(time) : .none })
    {
      return step
    }
    let filter = filter
    let filtered = try FilteredCollection(of: whole.collection) { try $0.filter(ofKey: filter) }
    let info = whole.info.changed(to: max(time, (before?.snapshot.info.version ?? 0) + 1))
    let snapshot = CollectionSnapshot(
      info: info, collection: filtered.collection, cache: whole.cache?.another())
    let state = State(
      filtered: filtered, whole: whole.info, place: whole.place.load(ordering: .relaxed),
      snapshot: snapshot)
    return (state, nil, before != nil)
  }

  /// A step to a version of the whole collection by recent changes; nil if that can't be told yet.
  private func step(
    after before: State, to whole: CollectionSnapshot, _ recent: RecentSteps
  ) throws -> Step? {
    let filter = filter
    return try step(after: before, to: whole) { isOther in
      let last = try recent.last(after: before.whole.time, isOther: isOther) { features in
        try features.passing { try $0.filter(ofKey: filter) }.contains(true)
      }
      // What came and went meanwhile is a change, too.
      if !isOther, last.time == nil { return .none }
      return last.isHidden ? .untold : .at(last.time ?? whole.info.time)
    }
  }

  /// The time of the last change that a step has.
  private enum ChangeTime {
    /// There is no change, so that the version stays as it is.
    case none
    case at(Int64)
    /// It can't be told yet.
    case untold
  }

  /// A step to a version of the whole collection; nil if that is another one of the same id, or its time can't be told.
  ///
  /// - Parameter time: a function that returns the time of the step, given whether the features or what is said of them differ.
  ///   The version is later than the one before in any case.
  private func step(
    after before: State, to whole: CollectionSnapshot, at time: (Bool) throws -> ChangeTime
  ) throws -> Step? {
    guard before.whole.key == whole.info.key else { return nil }
    let filter = filter
    let (filtered, changed) = try before.filtered.following(
      whole.collection, passing: { try $0.filter(ofKey: filter) })
    let saysSame = before.whole.says(sameAs: whole.info)
    let last = before.snapshot.info.version
    let version: Int64
    switch try time(!(changed.isEmpty && saysSame)) {
    case .none: version = last
    case .at(let time): version = max(time, last + 1)
    case .untold: return nil
    }
    var next = before
    (next.filtered, next.whole) = (filtered, whole.info)
    next.place = whole.place.load(ordering: .relaxed)
    if version == last, filtered.collection === before.filtered.collection {
      return (next, [], false)
    }
    // Other times change what passes a span of time, wherever it is.
    let invalidated = before.whole.temporal == whole.info.temporal ? changed : nil
    next.snapshot = CollectionSnapshot(
      info: whole.info.changed(to: version), collection: filtered.collection,
      after: before.snapshot)
    if version != last { next.snapshot.cache?.invalidate(invalidated, at: version) }
    return (next, invalidated, false)
  }

  /// The log of the changes from now on, or from the first call on; nil if no version was made.
  func changes(
    in logs: InvalidationLog.Family, wake: @escaping @Sendable (InvalidationLog) -> Void
  ) -> InvalidationLog? {
    state.withLock { state in
      guard let known = state else { return nil }
      if let log = known.log { return log }
      let log = InvalidationLog(from: known.snapshot, in: logs, wake: wake)
      state?.log = log
      return log
    }
  }

  /// Forgets everything, as the collection was dropped.
  func end() {
    let log = state.withLock { state in
      defer { state = nil }
      state?.log?.end()
      return state?.log
    }
    log?.notify()
  }
}
