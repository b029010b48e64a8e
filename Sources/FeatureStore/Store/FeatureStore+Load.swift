import ClusterCore
import Glibc

extension FeatureStore {
  /// Loads the index of a collection: from its index file and the features that have changed since, or if that
  /// isn't possible from all rows, which throws
  /// ``StoreError/damaged(path:reason:)`` if a row isn't one that the store wrote, as far as that shows, or
  /// if there aren't as many as the collection's row says.
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
      switch try stored(info, file, state, core) {
      case .success(let loaded): return loaded
      case .failure(let reason): fault = reason.text
      }
      // It is of no use to later starts either. If this fails, they find out by themselves.
      try? core.transaction.write { () throws(StoreError) in try core.changes.unname(info.key) }
      core.changes.forgetFile(info.key)
    }
    // One call at a time touches it, and none after the rows are loaded.
    nonisolated(unsafe) var builder = FeatureIndexBuilder(expecting: info.featureCount)
    let expired = try core.rows(of: info, now: clock.now).load { try builder.append($0) }
    return LoadedIndex(index: builder.build(), expired: expired, changes: nil, fault: fault)
  }

  private struct Fault: Error { var text: String }

  private func stored(
    _ info: CollectionInfo, _ file: ChangeLog.File, _ state: ChangeLog.State, _ core: StoreCore
  ) throws -> Result<LoadedIndex, Fault> {
    let path = IndexFiles.path(file, of: info.key, besides: core.connection.path)
    let identity = IndexFileLayout.Identity(
      storeID: core.storeID, key: info.key, nonce: file.nonce)
    guard let source = IndexFile(path, of: identity) else {
      return .failure(Fault(text: "\(path) is missing or damaged"))
    }
    // What was deleted as expired stays so, even if the clock has gone back since.
    let now = max(clock.now, state.expiredUntil)
    let ids = try core.changes.changedIDs(of: info.key, since: file).sorted()
    let batch = try core.features(ids, of: info, now: now)
    guard var index = try FeatureIndex.decode(source, changing: ids, to: batch) else {
      return .failure(Fault(text: "\(path) is damaged"))
    }
    let gone = index.expired(at: now)
    if !gone.isEmpty { index = try index.applying(.remove(gone)) }
    let expired = try core.features.countExpired(in: info.key, at: now)
    guard index.count + expired == info.featureCount else {
      return .failure(
        Fault(
          text: "\(path) and the changes since have \(index.count) features, "
            + "not \(info.featureCount - expired)"))
    }
    return .success(
      LoadedIndex(index: index, expired: expired, changes: ids.count, fault: nil))
  }
}
