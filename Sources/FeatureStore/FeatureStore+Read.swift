import ClusterCore

extension FeatureStore {
  /// Calls `body` with the features of a collection but those that have expired, in batches and in the
  /// order of their ids: integers by value, then text by bytes. Rethrows what `body` throws.
  /// `body` must not write to the store.
  ///
  /// Throws ``StoreError/damaged(path:reason:)`` if a row isn't one that the store wrote, as far as
  /// that shows, or if there aren't as many as the collection's row says.
  ///
  /// - Parameters:
  ///   - key: the collection's key; without such a collection there are no batches.
  ///   - batchSize: the most features in a batch.
  /// - Returns: how many features had expired.
  @discardableResult
  public func forEachBatch(
    of key: Int64, batchSize: Int = 20_000, _ body: (FeatureBatch) throws -> Void
  ) throws -> Int {
    let core = try opened()
    let info = try core.collections.find(key: key)
    let expected = info?.featureCount ?? 0
    // Nobody reads the same pages again soon.
    defer {
      if activeImport == nil { core.connection.limitCache(toMebibytes: DatabaseFile.ordinaryCache) }
    }
    let reader = try RowReader(
      core.connection, allOf: key, hasChecksums: info?.hasChecksums ?? false, now: clock.now)
    let checker = RowChecker(key, path: core.connection.path)
    var rows = ReadRows()
    var total = 0
    while try reader.fill(&rows, upTo: max(1, batchSize)) {
      try checker.check(rows)
      total += rows.living.batch.count
      if !rows.living.batch.isEmpty { try body(rows.living.batch) }
      rows.removeAll()
    }
    // Within an import the row has yet to be written.
    guard total + reader.expired == expected || activeImport != nil else {
      throw StoreError.damaged(
        path: core.connection.path,
        reason: "a collection of \(expected) features has \(total + reader.expired) rows")
    }
    // Expired rows are found by their index: it must know of every one.
    guard try core.features.countExpiring(in: key) == reader.expiring else {
      throw StoreError.damaged(
        path: core.connection.path, reason: "the index of expiries isn't that of the features")
    }
    return reader.expired
  }
}
