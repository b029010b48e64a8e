import ClusterCore
import Dispatch
import Synchronization
import Threading

/// The clients that are granted the features of one filter, with their view of each collection.
final class Tenant: Sendable {
  /// The filter that their features pass.
  let filter: FilterExpression
  /// The name of the store in entity tags: versions of one tenant mean nothing to another, nor to another
  /// process.
  let name = String(UInt64.random(in: .min ... .max), radix: 36)
  // Characters: ids of collections, which are of ASCII
  private let views = Locked<[String: FilteredView]>([:])
  /// The collections of which views wait for ``updateSoon(_:from:)``.
  // Characters: ids of collections, which are of ASCII
  private let updating = Locked<Set<String>>([])
  /// When it was last asked for, by ``MonotonicTime``.
  private let lastUsed = Atomic<UInt>(MonotonicTime.now)

  init(_ filter: FilterExpression) { self.filter = filter }

  /// Nanoseconds since it was last asked for.
  func idleTime(at now: UInt) -> UInt { now - min(lastUsed.load(ordering: .relaxed), now) }

  /// Notes that it is asked for.
  func use() { lastUsed.store(MonotonicTime.now, ordering: .relaxed) }

  /// The view of a collection.
  func view(of collection: String) -> FilteredView {
    views.withLock { views in
      if let view = views[collection] { return view }
      let view = FilteredView(filter)
      views[collection] = view
      return view
    }
  }

  /// The views that were made, and their features.
  var figures: (views: Int, features: Int) {
    let made = views.withLock { Array($0.values) }.filter(\.isMade)
    return (made.count, made.reduce(0) { $0 + $1.featureCount })
  }

  /// Forgets a collection that isn't there any more.
  func forget(_ collection: String) {
    views.withLock { $0.removeValue(forKey: collection) }?.end()
  }

  /// Has a view brought up to date by a thread of low priority, one after the other, which then ends the waits for its
  /// version.
  func updateSoon(_ id: String, from catalog: Catalog) {
    guard updating.withLock({ $0.insert(id).inserted }) else { return }
    Tenant.background.async { [self] in
      // Before the look: what changes after it needs another.
      updating.withLock { _ = $0.remove(id) }
      guard let dated = catalog.dated(id), let shown = try? view(of: id).snapshot(of: dated) else {
        return
      }
      catalog.waits.show(
        max(shown.info.version, dated.settled), of: id, to: ObjectIdentifier(self))
    }
  }

  private static let background = DispatchQueue(label: "pincluster.tenants", qos: .utility)

  /// Brings the views that were made up to date, so that they keep nothing alive that is long gone.
  func update(from catalog: Catalog) {
    for (id, view) in views.withLock({ $0 }) {
      guard let whole = catalog.dated(id) else {
        forget(id)
        continue
      }
      // After a failure for want of memory, the next request tries again.
      if view.isMade { _ = try? view.snapshot(of: whole) }
    }
  }
}
