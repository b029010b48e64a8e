import ClusterCore
import FeatureStore
import GeoFormats

/// A patch (RFC 7396) of one feature as GeoJSON.
///
/// It is merged into the feature as that is now, before the writer has its turn. The writer then checks that it
/// still is. If not, a small patch is merged again there; a large one has to come again.
package struct FeaturePatch: Sendable {
  /// The feature has changed since the patch was merged into it, and is too large for the writer to merge it again.
  package struct Stale: Error {}

  /// The effect of a patch on a feature's expiry.
  private enum Expiry {
    /// Nothing, but the collection's time to live may give a later one.
    case untouched
    /// The feature never expires.
    case removed
    case replaced
  }

  /// The result of merging the patch into a feature.
  package struct Merge: Sendable {
    /// Keeps the record.
    fileprivate let snapshot: CollectionSnapshot
    fileprivate let ordinal: Int
    fileprivate let outcome: Result<FeatureBatch, any Error>

    /// The memory of the feature, in bytes.
    package var bytes: Int { (try? outcome.get().memory) ?? 0 }
  }

  /// The bytes that the text of a feature has beside its properties.
  private static let frame = 16 << 10

  private let feature: FeatureID
  private let conditions: WriteConditions
  private let text: [UInt8]
  private let expiry: Expiry
  private let maximumLength: Int

  /// Creates a patch.
  ///
  /// - Parameters:
  ///   - feature: the feature's id.
  ///   - conditions: the states in which its author expects the feature to be.
  ///   - text: the patch, which is JSON.
  ///   - value: the same, parsed.
  ///   - maximumLength: the most bytes of a feature.
  package init(
    of feature: FeatureID, on conditions: WriteConditions, text: [UInt8], parsed value: JSONValue,
    maximumLength: Int
  ) {
    (self.feature, self.conditions, self.text) = (feature, conditions, text)
    self.maximumLength = maximumLength
    expiry = value["expires"].map { $0.kind == .null ? .removed : .replaced } ?? .untouched
  }

  /// Merges it into the feature as a snapshot has it; nil if it doesn't.
  package func merge(into snapshot: CollectionSnapshot?) -> Merge? {
    guard let snapshot, let ordinal = snapshot.index.ordinal(of: feature) else { return nil }
    let outcome = Result {
      try merged(with: snapshot.index.record(at: ordinal), tellsNever: snapshot.info.ttl != nil)
    }
    return Merge(snapshot: snapshot, ordinal: ordinal, outcome: outcome)
  }

  private func merged(with record: FeatureRecord, tellsNever: Bool) throws -> FeatureBatch {
    try conditions.check(record, tellsNever: tellsNever)
    var json = JSONWriter(reserving: record.properties.count + FeaturePatch.frame)
    json.feature(record, tellsNever: tellsNever)
    let old = json.take()
    let text = try self.text.withUnsafeBytes { try MergePatch.apply($0, to: old) }
    let batch = try text.withUnsafeBytes {
      try SingleFeature.read($0, id: feature, maximumLength: maximumLength + FeaturePatch.frame)
    }
    guard batch.withRecord(at: 0, { $0.properties.count }) <= maximumLength else {
      throw SingleFeature.Failure.tooLarge(maximumLength)
    }
    return batch
  }

  /// Stores the feature that a merge has made, or makes it from the feature as it is then.
  ///
  /// - Parameter limit: the most bytes of a feature that is merged there.
  /// - Throws: ``Stale`` if the feature has changed and is larger than that.
  func store(
    _ merge: Merge?, mergingAtMost limit: Int, of collection: String, in group: WriteGroup
  ) throws -> FeatureBatch {
    let found = try group.withRecord(of: feature, in: collection) { record in
      if let merge, merge.snapshot.index.record(at: merge.ordinal).equals(record) {
        return (batch: try merge.outcome.get(), expires: record.expires)
      }
      guard record.properties.count <= limit else { throw Stale() }
      return (
        batch: try merged(with: record, tellsNever: group.expiresByDefault(collection)),
        expires: record.expires
      )
    }
    guard var batch = found?.batch else {
      try conditions.check(nil, tellsNever: false)
      throw WriteOutcome.Rejection(.noFeature)
    }
    if expiry == .removed {
      batch.setExpiry(nil, neverExpires: true)
    } else if expiry == .untouched, let renewed = group.defaultExpiry(of: collection) {
      // A patch without an expiry never brings it forward.
      let expires = found?.expires.map { max($0, renewed) }
      batch.setExpiry(expires, neverExpires: expires == nil)
    }
    _ = try group.upsert(&batch, into: collection)
    return batch
  }
}
