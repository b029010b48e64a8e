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
    /// The features that were changed, as they were and as they are; nil if they are too many, or if something else was.
    var states: [FeatureBatch]?

    fileprivate var count: Int { states?.reduce(0) { $0 + $1.count } ?? 0 }
    fileprivate var byteCount: Int { states?.reduce(0) { $0 + $1.byteCount } ?? 0 }
  }

  /// The time up to which everything is known; a full second, but for the first one.
  let settled: Int64
  /// The collection as it was then.
  let base: CollectionSnapshot
  /// The changes since, the earliest first.
  private var steps: [Step] = []
  /// The features in ``steps`` and their size in bytes.
  private var (count, byteCount) = (0, 0)

  /// The most features, and the most bytes.
  fileprivate static let (mostFeatures, mostBytes) = (InvalidationLog.capacity, 16 << 20)

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
    for step in steps { append(step) }
  }

  private mutating func append(_ step: Step) {
    count += step.count
    byteCount += step.byteCount
    if count > RecentSteps.mostFeatures || byteCount > RecentSteps.mostBytes, let last = steps.last
    {
      let first = steps.map { $0.first ?? $0.time }.min()
      steps = [Step(time: last.time, first: first, states: [])]
      (count, byteCount) = (step.count, step.byteCount)
    }
    steps.append(step)
  }

  /// The last change that concerns somebody, after a time.
  ///
  /// - Parameters:
  ///   - isOther: whether something has changed for them, so that a step that may have changed anything has.
  ///   - passes: whether some features are theirs.
  /// - Returns: its time, nil if there is none; and whether there were several changes in one step after that. What features
  ///   were in between isn't known here, but another instance may have shown it, and when it was over is nobody's business.
  func last(
    after time: Int64, isOther: Bool, _ passes: (FeatureBatch) throws -> Bool
  ) rethrows -> (time: Int64?, isHidden: Bool) {
    var isHidden = false
    for step in steps.reversed() {
      if step.time <= time { break }
      if try step.states?.contains(where: { try !$0.isEmpty && passes($0) }) ?? isOther {
        return (step.time, isHidden)
      }
      if step.first != nil { isHidden = true }
    }
    return (nil, isHidden)
  }
}

extension RecentSteps.Step {
  /// A step in which features were changed.
  ///
  /// - Parameters:
  ///   - first: when the first change was made that may be among those of the step.
  ///   - old: the features before, which may be some steps earlier.
  ///   - new: the features now.
  init(
    at time: Int64, since first: Int64, of features: [FeatureID], from old: FeatureIndex?,
    to new: FeatureIndex
  ) {
    (self.time, self.first) = (time, first < time ? first : nil)
    guard features.count <= RecentSteps.mostFeatures / 2 else { return }
    var states: [FeatureBatch] = []
    for case let index? in [old, new] {
      var records = FeatureBatch()
      for feature in features {
        guard let ordinal = index.ordinal(of: feature) else { continue }
        records.append(index.record(at: ordinal))
        let byteCount = records.byteCount + (states.first?.byteCount ?? 0)
        if byteCount > RecentSteps.mostBytes { return }
      }
      states.append(records)
    }
    self.states = states
  }

  /// The step of a transaction.
  init(
    at time: Int64, _ changes: [FeatureChange], from old: FeatureIndex?, to new: FeatureIndex
  ) {
    var features: [FeatureID] = []
    for change in changes {
      switch change {
      case .remove(let ids): features += ids
      case .upsert(let batch):
        // They are too many.
        if batch.count > RecentSteps.mostFeatures / 2 {
          self.init(time: time)
          return
        }
        features += (0..<batch.count).map { batch.withRecord(at: $0) { $0.id } }
      }
    }
    self.init(at: time, since: time, of: features, from: old, to: new)
  }
}
