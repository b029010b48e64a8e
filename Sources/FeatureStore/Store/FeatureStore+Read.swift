import ClusterCore

extension FeatureStore {
  /// Calls `body` with the features of a collection that haven't expired, in batches and in the order of
  /// their ids: integers by value, then text by bytes. The calls are on another thread, one at a time.
  ///
  /// For tests; a start uses ``loadIndex(of:)``. Rethrows what `body` throws, and throws
  /// ``StoreError/damaged(path:reason:)`` as that does.
  package func forEachBatch(
    of info: CollectionInfo, batchSize: Int,
    _ body: @escaping @Sendable (FeatureBatch) throws -> Void
  ) throws {
    let core = try writable()
    // The same pages aren't read again soon.
    defer { core.connection.limitCache(toMebibytes: DatabaseFile.ordinaryCache) }
    var rows = core.rows(of: info, now: clock.now)
    rows.batchSize = batchSize
    _ = try rows.load(into: body)
  }
}
