import ClusterCore

extension SQLiteStore {
  /// Loads the index of a collection: from its index file and the features that have changed since, or if that
  /// isn't possible from all rows, which throws
  /// ``StoreError/damaged(path:reason:)`` if a row isn't one that the store wrote, as far as that shows, or
  /// if there aren't as many as the collection's row says.
  ///
  /// - Throws: ``StoreError/damaged(path:reason:)`` if a row or the number of rows isn't as it was written, or
  ///   ``StoreError`` if memory is short.
  /// - Complexity: O(features), or O(features that have changed) with an index file.
  public func loadIndex(of info: CollectionInfo) throws -> LoadedIndex {
    let core = try writable()
    let loaded = try FeatureIndexBuilder.withMemory(for: info.featureCount) {
      try load(info, core)
    }
    guard let loaded else {
      throw StoreError.io(
        reason: "there isn't enough memory for the \(info.featureCount) features of \(info.id)")
    }
    return loaded
  }

  private func load(_ info: CollectionInfo, _ core: StoreCore) throws -> LoadedIndex {
    defer { core.connection.limitCache(toMebibytes: DatabaseFile.ordinaryCache) }
    var fault: String?
    if let state = core.changes.states[info.key], let file = state.file {
      do {
        let now = clock.now
        // Features that have been deleted as expired are still in the file, and living by such a clock.
        guard now >= state.expiredUntil else {
          throw Unusable(reason: "the machine's clock has been set back since its features expired")
        }
        return try stored(info, file, core, now: now)
      } catch let unusable as Unusable { fault = unusable.reason }
      // It is of no use to later starts either. If this fails, they find out by themselves.
      try? core.transaction.write { () throws(StoreError) in try core.changes.unname(info.key) }
      core.changes.removeFile(of: info.key)
    }
    // One call at a time touches it, and none after the rows are loaded.
    nonisolated(unsafe) var builder = FeatureIndexBuilder(expecting: info.featureCount)
    let rows = RowLoader(connection: core.connection, info: info, now: clock.now)
    let expired = try rows.load { try builder.append($0) }
    return LoadedIndex(
      info: info, index: builder.build(), expired: expired, changes: nil, fault: fault)
  }

  private struct Unusable: Error { var reason: String }

  private func stored(
    _ info: CollectionInfo, _ file: IndexFileName, _ core: StoreCore, now: Int64
  ) throws -> LoadedIndex {
    let path = file.path(besides: core.connection.path)
    guard
      let (index, changes) = try core.changes.index(
        of: info, from: file, storeID: core.storeID, now: now)
    else { throw Unusable(reason: "\(path) is missing or damaged") }
    let expired = try core.connection.countExpired(in: info.key, at: now)
    guard index.count + expired == info.featureCount else {
      throw Unusable(
        reason: "\(path) and the changes since have \(index.count) features, "
          + "not \(info.featureCount - expired)")
    }
    return LoadedIndex(info: info, index: index, expired: expired, changes: changes, fault: nil)
  }

  /// Returns a verifier for what this store hasn't checked; nil if it has checked everything.
  ///
  /// - Parameter keys: the collections whose index was read from a file.
  public func verifier(ofRowsOf keys: [Int64]) -> StoreVerifier? {
    guard let core = try? opened(), core.needsPageCheck || !keys.isEmpty else { return nil }
    return StoreVerifier(
      path: core.connection.path, keys: keys, checksStructure: core.needsPageCheck)
  }
}
