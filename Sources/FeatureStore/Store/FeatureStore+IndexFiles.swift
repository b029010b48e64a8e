import ClusterCore

extension FeatureStore {
  /// The least features of a collection whose index is worth a file.
  public static let indexFileMinimum = 100_000

  /// What a collection's file of its index is like.
  public enum IndexFileState: Sendable, Equatable {
    /// There is none.
    case missing
    /// There is one, and so many changes since.
    case present(changes: Int)
    /// One is being written.
    case underWay
  }

  /// What the file of a collection's index is like.
  public func indexFileState(of info: CollectionInfo) -> IndexFileState {
    guard let state = try? opened().changes.states[info.key] else { return .missing }
    if state.draft != nil { return .underWay }
    return state.changes.map { .present(changes: Int($0)) } ?? .missing
  }

  /// Begins a file of a collection's index as it is now.
  public func beginIndexFile(of info: CollectionInfo) throws(StoreError) -> IndexFileDraft {
    let core = try writable()
    let nonce = Int64(bitPattern: UInt64.random(in: .min ... .max))
    let file = core.changes.begin(
      info.key, featureCount: info.featureCount, nonce: nonce, expiredUntil: clock.now)
    return IndexFileDraft(
      key: info.key, file: file,
      path: IndexFiles.path(file, of: info.key, besides: core.connection.path),
      identity: IndexFileLayout.Identity(storeID: core.storeID, key: info.key, nonce: nonce))
  }

  /// Makes a written file the one that the next start reads, unless too much has changed meanwhile.
  public func finishIndexFile(_ draft: IndexFileDraft) throws(StoreError) {
    let core = try writable()
    guard core.changes.isWanted(draft.file, of: draft.key) else {
      return DataDirectory.remove(draft.path)
    }
    do {
      try core.transaction.write { () throws(StoreError) in
        try core.changes.name(draft.file, of: draft.key)
      }
    } catch {
      abandonIndexFile(draft)
      throw error
    }
    core.changes.take(draft.file, of: draft.key)
  }

  /// Gives up a file that was begun.
  public func abandonIndexFile(_ draft: IndexFileDraft) {
    DataDirectory.remove(draft.path)
    guard let core = try? opened() else { return }
    core.changes.abandon(draft.file, of: draft.key)
  }

  /// Stores the index of a collection in a file without making it in memory, for the next start: what
  /// an import does at its end. O(n log n).
  public func storeIndex(of info: CollectionInfo) throws {
    let core = try writable()
    defer { core.connection.limitCache(toMebibytes: DatabaseFile.ordinaryCache) }
    let now = clock.now
    let draft = try beginIndexFile(of: info)
    do {
      var sorting = ascended.flatMap { $0.info == info ? $0.sorting : nil }
      ascended = nil
      if try core.collections.find(info.id) != info { sorting = nil }
      let sorted = try sorting ?? sortedRows(of: info, core, now: now)
      let count = try sorted.write(to: draft.path, of: draft.identity) {
        // Meanwhile the log is folded in, which closing the store would do. If that fails, it will.
        try? core.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
      }
      if count == 0 { return abandonIndexFile(draft) }
    } catch {
      abandonIndexFile(draft)
      throw error
    }
    try finishIndexFile(draft)
  }

  private func sortedRows(
    of info: CollectionInfo, _ core: StoreCore, now: Int64
  ) throws -> IndexFileSorting {
    let sorting = try IndexFileSorting(
      scratch: IndexFiles.runs(of: info.key, besides: core.connection.path))
    _ = try core.rows(of: info, now: now).load { batch in sorting.append(batch) {} }
    return sorting
  }

  /// Deletes some of the notes of changes that no file needs any more.
  ///
  /// - Returns: whether there are more of them.
  public func trimChanges(atMost count: Int = 5000) throws(StoreError) -> Bool {
    let core = try writable()
    for key in core.changes.states.keys {
      guard let number = core.changes.toTrim(key, atMost: Int64(count)) else { continue }
      try core.transaction.write { () throws(StoreError) in
        try core.changes.trim(key, below: number)
      }
      core.changes.setTrimmed(key, below: number)
      return true
    }
    return false
  }
}
