import ClusterCore

extension PostgresStore {
  /// How often a collection is compared with its rows, in seconds; nil for never.
  public var comparisonInterval: Double? { configuration.comparisonInterval }

  /// A function that compares a collection with its rows, for any thread.
  ///
  /// - Throws: (the function) ``StoreError`` if the database can't be reached or read.
  public func comparer(
    of info: CollectionInfo, _ index: FeatureIndex
  ) -> @Sendable () throws -> StoreComparison? {
    let comparison = PostgresComparison(servers: servers, info: info, index: index)
    return { try comparison.run() }
  }

  /// Reads rows again that somebody has changed by hand, in the open transaction, and notes them as changed, so that all
  /// instances show them.
  ///
  /// - Throws: ``StoreError`` if the database can't be reached, or no transaction is open.
  public func reread(
    _ features: [FeatureID], of id: String, isShown: (FeatureID, FeatureRecord?) -> Bool
  ) throws(StoreError) -> (info: CollectionInfo, changes: [FeatureChange])? {
    guard var info = try find(id) else { return nil }
    let rows = ChangedRows(configuration.address)
    let answers = try runWithin(
      [
        PostgresQueries.named.with {
          $0.add(info.key)
          $0.add(ids: features)
        },
        PostgresQueries.count.with { $0.add(info.key) },
      ], within: 60, sinks: [0: rows])
    let (ids, batch) = try rows.all(of: info.key)
    guard answers.count == 2, let count = answers[1].first?.integer(0) else {
      throw .io(reason: "rows can't be counted")
    }
    let isSame =
      rows.removed.allSatisfy { isShown($0, nil) }
      && (0..<batch.count).allSatisfy { batch.withRecord(at: $0) { isShown($0.id, $0) } }
    guard !isSame || count != info.featureCount else { return nil }
    info = info.changed(to: info.version + 1)
    info.featureCount = Int(count)
    info.largestInteger = max(info.largestInteger, batch.largestIntegerID ?? 0)
    info = save(info, .note(key: info.key, ids))
    return (info, try rows.changes(of: info.key))
  }
}
