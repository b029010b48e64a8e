import ClusterCore
import Dispatch
import Threading

/// The tenants that were here lately.
package final class Tenants: Sendable {
  /// The most of them. Beyond that the one that was not here for longest is forgotten, and has to be made again when it
  /// comes.
  static let most = 1000
  /// The most features that they see together, of some 26 bytes each.
  private static let mostFeatures = 40_000_000
  /// After so long without a request a tenant is forgotten, in nanoseconds.
  private static let patience: UInt = 600_000_000_000
  /// The time between two looks at all of them.
  private static let period = DispatchTimeInterval.seconds(10)

  private let catalog: Catalog
  private let byFilter = Locked<[FilterExpression: Tenant]>([:])

  package init(_ catalog: Catalog) { self.catalog = catalog }

  /// The tenant of a filter.
  func tenant(of filter: FilterExpression) -> Tenant {
    let (tenant, isFirst) = byFilter.withLock { tenants in
      if let tenant = tenants[filter] { return (tenant, false) }
      let now = MonotonicTime.now
      if tenants.count >= Tenants.most,
        let idle = tenants.max(by: { $0.value.idleTime(at: now) < $1.value.idleTime(at: now) })
      {
        tenants[idle.key] = nil
      }
      let tenant = Tenant(filter)
      tenants[filter] = tenant
      return (tenant, tenants.count == 1)
    }
    tenant.use()
    if isFirst { schedule() }
    return tenant
  }

  /// The numbers of tenants, of the views of collections kept for them, and of the features in those.
  package var figures: (tenants: Int, views: Int, features: Int) {
    let all = byFilter.withLock { Array($0.values) }
    return all.map(\.figures).reduce((all.count, 0, 0)) {
      ($0.0, $0.1 + $1.views, $0.2 + $1.features)
    }
  }

  /// Has ``tidy()`` called in a while.
  private func schedule() {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + Tenants.period) {
      [weak self] in self?.tidy()
    }
  }

  /// Forgets those that were not here for longest while all see too many features together.
  private func forgetSome() {
    let now = MonotonicTime.now
    byFilter.withLock { tenants in
      var features = tenants.values.reduce(0) { $0 + $1.figures.features }
      guard features > Tenants.mostFeatures else { return }
      for (filter, tenant) in tenants.sorted(by: {
        $0.value.idleTime(at: now) > $1.value.idleTime(at: now)
      }) where features > Tenants.mostFeatures && tenants.count > 1 {
        features -= tenant.figures.features
        tenants[filter] = nil
      }
    }
  }

  /// Forgets tenants that were not here for long, and brings the others up to date.
  private func tidy() {
    let now = MonotonicTime.now
    let rest = byFilter.withLock { tenants in
      tenants = tenants.filter { $0.value.idleTime(at: now) < Tenants.patience }
      return Array(tenants.values)
    }
    for tenant in rest { tenant.update(from: catalog) }
    forgetSome()
    if !rest.isEmpty { schedule() }
  }
}
