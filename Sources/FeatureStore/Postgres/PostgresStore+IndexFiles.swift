import ClusterCore

extension PostgresStore {
  /// Loads the index of a collection, and takes note that it is shown.
  ///
  /// - Throws: ``StoreError`` if the database can't be reached, a row is damaged, or memory is short.
  public func loadIndex(of info: CollectionInfo) throws -> LoadedIndex {
    let loaded = try loader(of: info)()
    if loaded.fault != nil { cache?.discard(info.key) }
    isShown(loaded.info)
    return loaded
  }

  /// A function that loads a collection, for any thread.
  ///
  /// - Throws: (the function) ``StoreError`` if the database can't be reached, or the rows can't be read.
  public func loader(of info: CollectionInfo) -> @Sendable () throws -> LoadedIndex {
    let file = cache?.file(of: info.key)
    let loader = PostgresLoader(
      servers: servers, storeID: storeID, info: info,
      file: file.flatMap { file in cache.map { (file, $0.path(of: file)) } })
    return { try loader.load() }
  }

  /// Nothing is left to check: every row is checked as it is read.
  public func verifier(ofRowsOf keys: [Int64]) -> StoreVerifier? {
    cache?.keep(Set(shown.values.map(\.key)))
    return nil
  }

  /// The state of a collection's index file on this machine.
  public func indexFileState(of info: CollectionInfo) -> IndexFileState {
    guard let cache, let shown = shown[info.id], shown.isSameState(as: info) else {
      return .underWay
    }
    return cache.state(of: info)
  }

  /// Begins an index file of a collection as it is shown.
  ///
  /// - Throws: ``StoreError`` if there is no directory for it, or the collection isn't shown any more.
  public func beginIndexFile(of info: CollectionInfo) throws(StoreError) -> IndexFileDraft {
    guard let cache, let shown = shown[info.id], shown.isSameState(as: info) else {
      throw .io(reason: "no index file can be written")
    }
    return cache.begin(shown)
  }

  /// Makes a complete file the one that the next start reads.
  ///
  /// - Throws: nothing.
  public func finishIndexFile(_ draft: IndexFileDraft) throws(StoreError) { cache?.finish(draft) }

  /// Gives up a file that was begun.
  public func abandonIndexFile(_ draft: IndexFileDraft) { cache?.abandon(draft) }

  // MARK: The place

  /// Always true: the store has no files on this machine that it needs.
  public var isInPlace: Bool { true }

  /// Does nothing: the disk is not of this machine.
  public func keepReserve() {}

  /// Calls `body`, without any reserve.
  public func makingRoom(_ body: () -> Void) { body() }
}
