import ClusterCore

/// The outcome of a write that is on disk and shown to readers.
package struct WriteOutcome: Sendable {
  /// The result by the kind of change.
  package enum Result: Sendable {
    /// The collection as it was described, and whether it is new.
    case described(CollectionSnapshot, isNew: Bool)
    /// The collection was dropped.
    case dropped
    /// Features were stored: the numbers of those that are new and of those that replaced another, those that were left out
    /// by their numbers, and the ids of the others if they are wanted.
    case stored(inserted: Int, updated: Int, leftOut: [Int], ids: [FeatureID])
    /// One feature was stored as it is in a batch, and whether it is new.
    case storedOne(FeatureBatch, isNew: Bool)
    /// The given number of features were deleted from the collection as it was before; nil for one that isn't looked at.
    case deleted(Int, from: CollectionSnapshot?)
  }

  /// The result by the kind of change.
  package let result: Result
  /// The version of the collection after it, or that at which it was dropped. Nil if there is none, and if the author sees
  /// only some features: that takes longer to tell; see ``Write/telling(_:)``.
  package internal(set) var version: Int64?
}

extension WriteOutcome {
  /// A write doesn't find its collection or feature, or finds it in another state than its author expects. Nothing was
  /// changed.
  package struct Rejection: Error {
    /// Why it is refused.
    package enum Reason: Sendable {
      /// There is no such collection.
      case noCollection
      /// There is no such feature.
      case noFeature
      /// The feature or collection isn't in the state that is expected, or isn't there.
      case condition(isThere: Bool)
    }

    /// Why it is refused.
    package let reason: Reason
    /// The version of the collection at which that can be seen; nil if there is none.
    package internal(set) var version: Int64?

    init(_ reason: Reason) { self.reason = reason }
  }
}
