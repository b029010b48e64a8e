import ClusterCore

/// The index of a large collection on its way into a file beside the database. The file is a cache: it
/// is there so that the next start needn't make the index again.
public struct IndexFileDraft: Sendable {
  /// The collection's key.
  public let key: Int64
  let file: ChangeLog.File
  let path: String
  let identity: IndexFileLayout.Identity

  /// Writes the file; on any thread. On a full disk it throws and leaves nothing behind.
  ///
  /// - Parameters:
  ///   - index: the collection as it was when the file was begun.
  ///   - isWanted: asked now and then; once it says no this throws.
  public func write(_ index: FeatureIndex, while isWanted: () -> Bool) throws {
    let writer = try IndexFileWriter(path)
    try index.encode { section, bytes in
      guard isWanted() else { throw StoreError.io(reason: "the index is no longer wanted") }
      try writer.append(section, bytes)
    }
    try writer.finish(identity)
  }
}

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
      let sorted = ascended.flatMap { $0.info == info ? $0.sorted : nil }
      ascended = nil
      if let sorted, try core.collections.find(info.id) == info {
        try IndexFileMerge(sorted, try IndexFileWriter(draft.path), draft.identity).run {
          // Meanwhile the log is folded in, which closing the store would do. If that fails, it will.
          try? core.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        }
      } else {
        let consumer = SortingConsumer(try ScratchFile(draft.path + ".runs.new"))
        _ = try RowLoader(core, info, now: now).load(into: consumer)
        let writer = try IndexFileWriter(draft.path)
        guard try consumer.finish(to: writer.append) > 0 else { return abandonIndexFile(draft) }
        try writer.finish(draft.identity)
      }
    } catch {
      abandonIndexFile(draft)
      throw error
    }
    try finishIndexFile(draft)
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
