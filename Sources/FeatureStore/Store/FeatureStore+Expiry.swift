import ClusterCore

extension FeatureStore {
  /// The most features that one ``removeExpired(from:at:)`` deletes.
  public static let expiredAtOnce = 10_000

  /// Deletes rows of features that have expired, in one transaction. Each collection gets a new version,
  /// which is above all versions that were published. After a restart it names what is left.
  ///
  /// - Parameters:
  ///   - collections: the keys of collections.
  ///   - now: in milliseconds since 1970 (UTC).
  /// - Returns: whether all were deleted; if not, some are left for another call.
  public func removeExpired(
    from collections: [Int64], at now: Int64
  ) throws(StoreError) -> Bool {
    let core = try writable()
    return try core.transaction.write { () throws(StoreError) in
      var room = FeatureStore.expiredAtOnce
      for key in collections where room > 0 {
        guard var info = try core.collections.find(key: key) else { continue }
        let removed = try core.features.deleteExpired(from: key, at: now, limit: room)
        guard removed <= info.featureCount else {
          throw .damaged(
            path: core.connection.path,
            reason: "a collection of \(info.featureCount) features has more rows")
        }
        room -= removed
        info.featureCount -= removed
        info.version = core.collections.nextVersion()
        core.collections.save(info)
      }
      return room > 0
    }
  }
}
