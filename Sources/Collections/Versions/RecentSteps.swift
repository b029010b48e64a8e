import ClusterCore
import FeatureStore

/// The changes of a collection of a shared store, step by step, since a time up to which everything is known. By these
/// tenants get versions that reveal nothing of others' changes.
struct RecentSteps: Sendable {
  /// A change.
  struct Step: Sendable {
    /// When it was made, in microseconds since 1970 (UTC).
    let time: Int64
    /// When the first of several was made that are known only by what they came to; nil for one.
    var first: Int64?
    /// The coordinates of its changes; nil if it may concern all.
    let touched: [Coordinate]?
  }

  /// The time up to which everything is known; a full second, but for the first one.
  let settled: Int64
  /// The collection as it was then.
  let base: CollectionSnapshot
  /// The changes since, the earliest first.
  private var steps: [Step] = []
  /// The number of coordinates in ``steps``.
  private var count = 0

  /// A collection that is settled.
  init(_ base: CollectionSnapshot, settled: Int64) { (self.base, self.settled) = (base, settled) }

  /// The steps that lead to a snapshot; nil if its changes aren't known.
  init?(
    _ earlier: RecentSteps?, from old: CollectionSnapshot, to new: CollectionSnapshot,
    by steps: [Step]
  ) {
    guard old.info.key == new.info.key, old.info.time < new.info.time else { return nil }
    // Times grow with versions, so that nothing before the first one is missing.
    let first = steps.map { $0.first ?? $0.time }.min() ?? new.info.time
    let second = first - first % StoreChange.second
    if old.info.time <= second, second > earlier?.settled ?? 0 {
      self.init(old, settled: second)
    } else {
      guard let earlier else { return nil }
      self = earlier
    }
    self.steps += steps
    count += steps.reduce(0) { $0 + ($1.touched?.count ?? 0) }
    if count > TouchLog.capacity {
      (self.steps, count) = ([Step(time: new.info.time, touched: nil)], 0)
    }
  }

  /// The time of the last step with changes at some coordinates, or of the last one that may concern all if these are nil.
  /// If there were no steps, the time up to which everything is known.
  ///
  /// - Returns: nil if there were several changes in one step after that. What features were in between isn't known here, but
  ///   another instance may have shown it at that time; and when it was over is nobody's business.
  func time(of touched: [Coordinate]?) -> Int64? {
    guard let last = steps.last else { return settled }
    let wanted = touched.map { Set($0) } ?? []
    let found = steps.lastIndex { step in
      step.touched.map { $0.contains { wanted.contains($0) } } ?? true
    }
    guard let found else { return last.time }
    return steps[(found + 1)...].contains { $0.first != nil } ? nil : steps[found].time
  }

  /// The steps in which features were changed that are in one or both of two versions of a collection.
  static func steps(
    _ made: [StoreChange.Step], from old: FeatureIndex?, to new: FeatureIndex
  ) -> [Step] {
    made.map { step in
      let touched = step.features.flatMap { feature in
        [old, new].compactMap { index in
          index.flatMap { index in
            index.ordinal(of: feature).map { index.record(at: $0).coordinate }
          }
        }
      }
      return Step(
        time: step.time, first: step.first < step.time ? step.first : nil, touched: touched)
    }
  }
}
