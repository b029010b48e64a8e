import ClusterCore
import FeatureStore
import GeoFormats
import HTTPServer

/// A patch (RFC 7396) of one feature as GeoJSON.
///
/// It is merged into the feature as that is now, before the writer has its turn. The writer then checks that it
/// still is. If not, a small patch is merged again there; a large one has to come again.
struct ItemPatch: Sendable {
  /// The feature has changed since the patch was merged into it.
  struct Stale: Error {}

  /// The effect of a patch on a feature's expiry.
  private enum Expiry {
    /// Nothing, but the collection's time to live may give a later one.
    case untouched
    /// The feature never expires.
    case removed
    case replaced

    init(_ patch: JSONValue) {
      self = patch["expires"].map { $0.kind == .null ? .removed : .replaced } ?? .untouched
    }
  }

  /// The result of merging the patch into a feature.
  struct Merge: Sendable {
    /// Keeps the record.
    fileprivate let snapshot: CollectionSnapshot
    fileprivate let ordinal: Int
    fileprivate let outcome: Result<FeatureBatch, any Error>

    /// The memory of the feature, in bytes.
    var bytes: Int { (try? outcome.get().memory) ?? 0 }
  }

  /// The most bytes of a feature and its patch that are merged by the writer.
  static let small = 64 << 10
  /// The most that are merged on an event loop.
  static let quick = 4 << 10
  /// The most bytes that the text of a feature has beside its properties.
  private static let frame = 16 << 10

  private let feature: FeatureID
  private let collection: String
  private let conditions: Preconditions
  private let body: RequestBody
  private let expiry: Expiry
  private let maximumLength: Int

  /// Reads the patch of a body.
  init(
    of feature: FeatureID, in collection: String, _ request: HTTPRequest, maximumLength: Int,
    parsers: ParserPool
  ) throws {
    (self.feature, self.collection) = (feature, collection)
    (conditions, body) = (Preconditions(request), request.body)
    self.maximumLength = maximumLength
    let body = self.body
    expiry = try parsers.withParser { parser in
      try body.withUnsafeBytes { Expiry(try parser.parse($0)) }
    }
  }

  /// Merges it into the feature as a snapshot has it; nil if it doesn't.
  func merge(into snapshot: CollectionSnapshot?) -> Merge? {
    guard let snapshot, let ordinal = snapshot.index.ordinal(of: feature) else { return nil }
    let outcome = Result { try merged(with: snapshot.index.record(at: ordinal)) }
    return Merge(snapshot: snapshot, ordinal: ordinal, outcome: outcome)
  }

  private func merged(with record: FeatureRecord) throws -> FeatureBatch {
    try conditions.check(record)
    var json = JSONWriter(reserving: record.properties.count + ItemPatch.frame)
    json.feature(record)
    let old = json.take()
    let text = try body.withUnsafeBytes { try MergePatch.apply($0, to: old) }
    let batch = try text.withUnsafeBytes {
      try Resources.readFeature(
        $0, id: feature, maximumLength: maximumLength + ItemPatch.frame)
    }
    guard batch.withRecord(at: 0, { $0.properties.count }) <= maximumLength else {
      throw Problem.featureTooLarge(maximumLength)
    }
    return batch
  }

  /// Stores the feature that a merge has made, or makes it from the feature as it is then.
  ///
  /// - Parameter limit: the most bytes of a feature that is merged there.
  /// - Throws: ``Stale`` if the feature has changed and is larger than that.
  func store(
    _ merge: Merge?, mergingAtMost limit: Int, in group: WriteGroup
  ) throws -> FeatureBatch {
    let found = try group.withRecord(of: feature, in: collection) { record in
      if let merge, merge.snapshot.index.record(at: merge.ordinal).equals(record) {
        return (batch: try merge.outcome.get(), expires: record.expires)
      }
      guard record.properties.count <= limit else { throw Stale() }
      return (batch: try merged(with: record), expires: record.expires)
    }
    guard var batch = found?.batch else {
      try conditions.check(nil)
      throw Problem.noFeature
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
