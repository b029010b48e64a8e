import Threading

/// The features of a region of a collection, which are selected when they are needed one by one.
final class UnselectedFeatures: Sendable {
  /// Where they are.
  let region: FilterRegion
  private let select: @Sendable () -> FeatureScope
  private let made = Locked<FeatureScope?>(nil)

  init(_ region: FilterRegion, _ select: @escaping @Sendable () -> FeatureScope) {
    (self.region, self.select) = (region, select)
  }

  /// The scope of them, selected by the first call while others wait.
  var selected: FeatureScope {
    made.withLongLock { made in
      let scope = made ?? select()
      made = scope
      return scope
    }
  }
}
