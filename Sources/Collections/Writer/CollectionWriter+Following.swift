import ClusterCore
import Dispatch
import FeatureStore
import Threading

/// Follows the writes of other instances to a shared store.
extension CollectionWriter {
  /// The writer's state of following.
  struct Following {
    /// Wakes the writer up after writes of other instances.
    fileprivate var source: (any DispatchSourceRead)?
    fileprivate var descriptor: Int32?
    /// The collections, by key, that are being loaded.
    fileprivate var loading: Set<Int64> = []
    fileprivate var timer: (any DispatchSourceTimer)?
    fileprivate var wasUp = true
    /// Whether others are followed.
    var isActive: Bool { timer != nil }
    /// The last error that was told, and when.
    private var told: (text: String, time: UInt)?
    /// The time after which an error that lasts is told again, in nanoseconds.
    private static let pause: UInt = 30_000_000_000

    /// Whether an error is told: one that isn't over by itself, and wasn't told a moment ago.
    mutating func isNews(_ error: any Error) -> Bool {
      switch error {
      case StoreError.away, StoreError.conflict: return false
      default: break
      }
      let (text, now) = ("\(error)", MonotonicTime.now)
      if let told, told.text.isSame(as: text), now - told.time < Following.pause { return false }
      told = (text, now)
      return true
    }
  }

  /// How often the connection is looked after, and tables that are attached, which don't wake the writer up.
  private static let period = DispatchTimeInterval.milliseconds(20)

  /// Follows from now on.
  func startFollowing() {
    home.check()
    guard let shared else { return }
    shared.onChange = { [unowned self] change in try show(change) }
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler { [weak self] in self?.follow() }
    timer.schedule(deadline: .now(), repeating: CollectionWriter.period, leeway: .milliseconds(2))
    timer.resume()
    following.timer = timer
    // Before anybody asks, so that it is known when that was.
    follow()
  }

  func stopFollowing() {
    home.check()
    following.timer?.cancel()
    following.source?.cancel()
    (following.timer, following.source) = (nil, nil)
    shared?.onChange = { _ in }
  }

  /// Shows the writes of other instances, if there are any. Connects if the connection was lost.
  private func follow() {
    home.check()
    guard let shared, following.timer != nil else { return }
    do {
      try shared.follow()
      report(isUp: shared.link.isUp)
    } catch {
      report(isUp: shared.link.isUp, error)
    }
    watch(shared.descriptor)
  }

  /// Reports when the store is lost and when it is back, and errors meanwhile that don't lose it.
  private func report(isUp: Bool, _ error: (any Error)? = nil) {
    if isUp != following.wasUp {
      indexFiles.report(isUp ? .storeBack : .storeLost(reason: error.map { "\($0)" } ?? ""))
    } else if case StoreError.noMemory(let id)? = error {
      indexFiles.report(.behind(collection: id))
    } else if let error, isUp, following.isNews(error) {
      indexFiles.report(.damaged(reason: "\(error)"))
    }
    following.wasUp = isUp
  }

  /// Wakes up when there is something to read from a descriptor.
  private func watch(_ descriptor: Int32?) {
    guard descriptor != following.descriptor else { return }
    following.source?.cancel()
    following.source = nil
    following.descriptor = descriptor
    guard let descriptor else { return }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler { [weak self] in self?.follow() }
    source.resume()
    following.source = source
  }

  /// Shows a change that others have made.
  private func show(_ change: StoreChange) throws {
    home.check()
    switch change {
    case .dropped(let id): catalog.remove(id, at: nil)
    case .unknown(let info): load(info)
    case .settled(let id, let second, let time): catalog.settle(id, at: second, time)
    case .changed(let info, let changes, let made):
      let base = catalog[info.id]
      let collection = base?.collection ?? IndexedCollection()
      let changed = try collection.applying(changes)
      let hasOtherTimes = base.map { $0.info.temporal != info.temporal } ?? true
      catalog.publish(
        CollectionSnapshot(
          info: info, collection: changed.collection, after: base, cache: catalog.cache?.another()),
        invalidated: hasOtherTimes ? nil : changed.invalidated,
        steps: made.map {
          RecentSteps.Step(
            at: $0.time, since: $0.first, of: $0.features, from: base?.index,
            to: changed.collection.index)
        })
    }
  }

  /// Loads a collection on another thread, and shows it then.
  private func load(_ info: CollectionInfo) {
    guard let shared, following.loading.insert(info.key).inserted else {
      return
    }
    let (loader, before) = (shared.loader(of: info), catalog[info.id]?.info)
    let outcome = Locked<Result<LoadedIndex, any Error>?>(nil)
    let finish: @Sendable () -> Void = { [weak self] in
      guard let result = outcome.withLock({ $0 }) else { return }
      self?.hasLoaded(info, after: before, result)
    }
    let isRunning = BackgroundThread.start(niceness: 5) { [queue] in
      let result = Result { try loader() }
      outcome.withLock { $0 = result }
      queue.async(execute: finish)
    }
    if !isRunning { following.loading.remove(info.key) }
  }

  /// Shows a collection that was loaded, unless something else of it has been shown than before that, which may be later.
  private func hasLoaded(
    _ info: CollectionInfo, after before: CollectionInfo?, _ result: Result<LoadedIndex, any Error>
  ) {
    home.check()
    following.loading.remove(info.key)
    guard let shared, following.timer != nil else { return }
    do {
      let loaded = try result.get()
      let now = catalog[info.id]?.info
      guard before.map({ now?.isSameState(as: $0) ?? false }) ?? (now == nil) else {
        return follow()
      }
      // The state shown under its id before is another one, from which no changes lead here.
      catalog.publish(
        CollectionSnapshot(
          info: loaded.info, collection: IndexedCollection(loaded.index),
          cache: catalog.cache?.another()),
        invalidated: nil)
      shared.isShown(loaded.info)
      shared.link.hasLoaded()
      indexFiles.report(.loadedAnew(collection: info.id))
    } catch StoreError.dropped {
      if catalog[info.id] == nil { catalog.remove(info.id, at: nil) }
    } catch StoreError.away {
      // It is tried again if it is seen again.
    } catch {
      catalog.couldNotRead(info.id)
      shared.couldNotShow(info, error)
      indexFiles.report(
        error is RecordArena.Full ? .behind(collection: info.id) : .damaged(reason: "\(error)"))
    }
    follow()
  }

  /// Deletes expired features, unless another instance does.
  func sweep(_ shared: any SharedStore) {
    home.check()
    guard shared.link.isUp else { return }
    let now = store.clock.now
    let expiring = catalog.all.filter { ($0.nextExpiry ?? .max) <= now }
    for snapshot in expiring where snapshot.info.isAttached {
      let expired = snapshot.index.expired(at: now).prefix(SQLiteStore.expiredAtOnce)
      do { try shared.recheck(Array(expired), of: snapshot.info) } catch {
        return report(isUp: shared.link.isUp, error)
      }
    }
    let due = expiring.filter { !$0.info.isAttached }.prefix(16)
    guard !due.isEmpty else { return }
    let group = WriteGroup(store, catalog, limits, isShared: true)
    do {
      let isSweeper = try shared.sweep(on: Set(due.map(\.info.id))) {
        for id in due.map(\.info.id) {
          guard let snapshot = catalog[id] else { continue }
          let expired = snapshot.index.expired(at: store.clock.now)
          try group.expire(Array(expired.prefix(SQLiteStore.expiredAtOnce)), from: id, shared)
        }
        try group.prepare()
      }
      if isSweeper { group.publish() }
    } catch StoreError.conflict {
      // It is tried again in its time.
    } catch {
      report(isUp: shared.link.isUp, error)
    }
    group.end()
  }
}
