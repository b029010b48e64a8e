import ClusterCore

extension SQLiteStore {
  /// The state of an import.
  struct ActiveImport {
    var info: CollectionInfo
    /// Features without an id, until every id is known.
    var pending: PendingTable
    /// Writes batches for as long as ids ascend.
    var ascending: AscendingImport?
  }

  /// Begins a transaction over many batches. Creates the collection if need be. Until the import ends, every
  /// other write throws.
  ///
  /// - Throws: ``StoreError`` if a transaction is open, or the disk is full or fails.
  public func beginImport(into id: String) throws(StoreError) {
    let core = try writable()
    guard !core.transaction.isOpen else { throw .io(reason: "a transaction is under way") }
    // There may be many features without ids.
    core.connection.keepTemporary(inMemory: false)
    // All rows refer to one collection, which stays.
    core.connection.checksReferences(false)
    ascended = nil
    do {
      try core.transaction.open()
      let (info, _) = try core.collectionToWrite(id)
      var active = ActiveImport(info: info, pending: try PendingTable(core.connection))
      if info.featureCount == 0, core.changes.states[info.key] == nil {
        active.ascending = try AscendingImport(core.connection, key: info.key)
        core.connection.limitCache(toMebibytes: DatabaseFile.appendingCache)
      } else {
        core.connection.limitCache(toMebibytes: DatabaseFile.importCache)
      }
      activeImport = active
    } catch {
      endImport(core)
      throw error
    }
  }

  /// Writes a batch. Features that need an id get it from ``commitImport()``, since later batches may have
  /// integer ids; they count as inserted, and the batch keeps them without an id. A failure ends the import
  /// as ``rollbackImport()`` does.
  ///
  /// - Throws: ``StoreError`` if no import is open, no integer id is left, or the disk is full or fails.
  public func importBatch(_ batch: inout FeatureBatch) throws(StoreError)
    -> (inserted: Int, updated: Int)
  {
    let core = try opened()
    guard var active = activeImport else { throw .io(reason: "no import is under way") }
    do {
      let now = clock.now
      batch.applyDefaultExpiry(active.info.expiryOfWrites(at: now))
      if let ascending = active.ascending {
        if batch.withRecords({ records in records.allNeedIDs }) ?? true {
          let added = try active.pending.add(batch)
          return (added, 0)
        }
        if let largest = try ascending.append(batch) {
          _ = try active.info.reserveIDs(0, above: largest)
          active.info.featureCount += batch.count
          activeImport = active
          return (batch.count, 0)
        }
        active.ascending = nil
        core.connection.limitCache(toMebibytes: DatabaseFile.importCache)
      }
      let counts = try core.features.write(batch, ids: nil, into: active.info.key, at: now)
      let added = try active.pending.add(batch)
      _ = try active.info.reserveIDs(0, above: batch.largestIntegerID ?? 0)
      active.info.featureCount += counts.newRows
      activeImport = active
      return (counts.inserted + added, counts.updated)
    } catch {
      rollbackImport()
      throw error
    }
  }

  /// Commits the import. All of it is on disk when this returns. A failure ends it as ``rollbackImport()``
  /// does.
  ///
  /// - Throws: ``StoreError`` if no import is open, no integer id is left, or the disk is full or fails.
  public func commitImport() throws(StoreError) -> CollectionInfo {
    let core = try opened()
    guard var active = activeImport else { throw .io(reason: "no import is under way") }
    do {
      let count = active.pending.count
      let first = try active.info.reserveIDs(count, above: 0)
      try active.pending.move(firstID: first) { batch throws(StoreError) in
        if let ascending = active.ascending, try ascending.append(batch) != nil { return }
        active.ascending = nil
        _ = try core.features.write(batch, ids: nil, into: active.info.key, at: clock.now)
      }
      active.info.featureCount += count
      core.collections.save(active.info)
      try core.transaction.close()
    } catch {
      rollbackImport()
      throw error
    }
    activeImport = nil
    endImport(core)
    if let sorting = active.ascending?.sorting { ascended = (active.info, sorting) }
    return active.info
  }

  /// Undoes everything since ``beginImport(into:)``. Without an import it does nothing.
  public func rollbackImport() {
    guard activeImport != nil, let core = try? opened() else { return }
    activeImport = nil
    endImport(core)
  }

  /// Undoes what wasn't committed and restores the settings of the connection.
  private func endImport(_ core: StoreCore) {
    core.transaction.undo()
    core.connection.limitCache(toMebibytes: DatabaseFile.ordinaryCache)
    core.connection.keepTemporary(inMemory: true)
    core.connection.checksReferences(true)
  }
}
