import ClusterCore

extension SQLiteStore {
  /// Returns the state of a collection's index file.
  public func indexFileState(of info: CollectionInfo) -> IndexFileState {
    guard let state = try? opened().changes.states[info.key] else { return .missing }
    if state.draft != nil { return .underWay }
    return state.file == nil ? .missing : .present
  }

  /// Begins an index file of a collection as it is now.
  ///
  /// - Throws: ``StoreError`` if the store is closed or its directory is gone.
  public func beginIndexFile(of info: CollectionInfo) throws(StoreError) -> IndexFileDraft {
    let core = try writable()
    let file = core.changes.begin(
      info.key, featureCount: info.featureCount, expiredUntil: clock.now)
    return IndexFileDraft(
      file: file, path: file.path(besides: core.connection.path),
      identity: IndexFileLayout.Identity(storeID: core.storeID, file))
  }

  /// Makes a complete file the one that the next start reads, unless too much has changed meanwhile.
  ///
  /// - Throws: ``StoreError`` if the disk is full or fails.
  public func finishIndexFile(_ draft: IndexFileDraft) throws(StoreError) {
    let core = try writable()
    guard core.changes.isWanted(draft.file) else {
      return DataDirectory.remove(draft.path)
    }
    do {
      try core.transaction.write { () throws(StoreError) in
        try core.changes.name(draft.file)
      }
    } catch {
      abandonIndexFile(draft)
      throw error
    }
    core.changes.take(draft.file)
  }

  /// Gives up a file that was begun.
  public func abandonIndexFile(_ draft: IndexFileDraft) {
    DataDirectory.remove(draft.path)
    guard let core = try? opened() else { return }
    core.changes.abandon(draft.file)
  }

  /// Writes the index file of a collection without building the index in memory, at the end of an import.
  ///
  /// - Throws: ``StoreError`` if a row is damaged, or the disk is full or fails.
  /// - Complexity: O(n log n).
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
        // Copies the log into the database meanwhile. If that fails, closing the store does it.
        core.connection.checkpoint()
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
      scratch: IndexFileName.runs(of: info.key, besides: core.connection.path))
    let rows = RowLoader(connection: core.connection, info: info, now: now)
    _ = try rows.load { batch in sorting.append(batch) {} }
    return sorting
  }

  /// Deletes some of the changes that no index file needs any more.
  ///
  /// - Returns: whether there are more of them.
  /// - Throws: ``StoreError`` if the disk is full or fails.
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
