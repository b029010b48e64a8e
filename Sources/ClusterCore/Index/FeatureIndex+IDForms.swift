import Threading

extension FeatureIndex {
  /// The forms of the ids of some features.
  public enum IDForms: Sendable {
    /// All are integers, or there are none.
    case integers
    /// All are texts, or integers written as such.
    case texts
    case mixed
  }

  /// The forms of the ids. The first call looks at all features, unless the index was changed from one that knows.
  /// Meaningless after a cancellation.
  ///
  /// - Complexity: O(n) then, O(1) otherwise.
  public var idForms: IDForms {
    let texts = knownTextIDs.withLock { $0 } ?? countTextIDs()
    return texts == 0 ? .integers : texts == count ? .texts : .mixed
  }

  private func countTextIDs() -> Int {
    var texts = 0
    points.forEachRun { run in
      if Cancellation.poll(10 * run.count) { return }
      for ordinal in run where record(at: ordinal).isIDText { texts += 1 }
    }
    if !Cancellation.isOver { knownTextIDs.withLock { $0 = texts } }
    return texts
  }
}
