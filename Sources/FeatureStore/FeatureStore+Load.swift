import ClusterCore
import Glibc

/// A collection's index, as a start has made it.
public struct LoadedIndex: Sendable {
  /// The index, without what has expired.
  public let index: FeatureIndex
  /// How many features have expired whose rows are still there.
  public let expired: Int
  /// How many features were read from the database because they changed after the index was stored; nil
  /// if all were read.
  public let changes: Int?
  /// Why a stored index could not be used; nil if there was none, or if it was.
  public let fault: String?
}

extension FeatureStore {
  /// The index of a collection: the stored one with what has changed since, or if that can't be had made
  /// of all rows, which throws as ``forEachBatch(of:batchSize:_:)`` does.
  public func loadIndex(of info: CollectionInfo) throws -> LoadedIndex {
    let core = try writable()
    defer { core.connection.limitCache(toMebibytes: DatabaseFile.ordinaryCache) }
    var fault: String?
    if let state = core.changes.states[info.key], let file = state.file {
      switch try stored(info, file, state, core) {
      case .success(let loaded): return loaded
      case .failure(let reason): fault = reason.text
      }
      // Of no use to later starts either. Where that can't be written they will find out, too.
      try? core.transaction.write { () throws(StoreError) in try core.changes.unname(info.key) }
      core.changes.forgetFile(info.key)
    }
    let consumer = IndexConsumer(expecting: info.featureCount)
    let expired = try RowLoader(core, info, now: clock.now).load(into: consumer)
    return LoadedIndex(index: consumer.index(), expired: expired, changes: nil, fault: fault)
  }

  private struct Fault: Error { var text: String }

  private func stored(
    _ info: CollectionInfo, _ file: ChangeLog.File, _ state: ChangeLog.State, _ core: Core
  ) throws -> Result<LoadedIndex, Fault> {
    let path = IndexFiles.path(file, of: info.key, besides: core.connection.path)
    let identity = IndexFileLayout.Identity(
      storeID: core.storeID, key: info.key, nonce: file.nonce)
    guard let source = IndexFile(path, of: identity) else {
      return .failure(Fault(text: "\(path) is missing or damaged"))
    }
    guard var index = FeatureIndex.decode(source) else {
      return .failure(Fault(text: "\(path) is damaged"))
    }
    // What was deleted as expired stays so, even if the clock has gone back since.
    let now = max(clock.now, state.expiredUntil)
    let ids = try core.changes.changedIDs(of: info.key, since: file)
    if !ids.isEmpty {
      index = try index.applying(changes(of: ids, info, core, now: now)).index
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

  /// What has become of some features.
  private func changes(
    of ids: Set<FeatureID>, _ info: CollectionInfo, _ core: Core, now: Int64
  ) throws(StoreError) -> [FeatureChange] {
    let reader = try RowReader(
      core.connection, someOf: info.key, hasChecksums: info.hasChecksums, now: now)
    let checker = RowChecker(info.key, path: core.connection.path)
    var rows = ReadRows()
    var removed: [FeatureID] = []
    for id in ids.sorted() where try !reader.find(id, into: &rows) { removed.append(id) }
    try checker.check(rows)
    return [.remove(removed), .upsert(rows.living.batch)]
  }
}
