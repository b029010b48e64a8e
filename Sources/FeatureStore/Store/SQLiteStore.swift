import ClusterCore
import Threading

/// Collections of features, durable in one SQLite file in a data directory.
///
///     let store = try SQLiteStore(directory: "data")
///     let result = try store.transaction { try store.upsert(&batch, into: "cities") }
///     let index = try store.loadIndex(of: result.info).index
///
/// It is read once, at start-up, and written from then on. Writes are on disk when their call returns. A
/// call that throws has changed nothing and leaves the store usable.
///
/// Not `Sendable`: one user at a time. The caller confines it to a queue or thread and may have debug builds
/// check that (``isolate(to:)``). While a store lives no other one can open its data directory. Other
/// programs may read the file, such as `sqlite3` for a backup.
public final class SQLiteStore: FeatureStore {
  /// The name of the database file in the data directory.
  public static var fileName: String { DatabaseFile.name }

  /// A random number that was drawn when the database was created.
  public let storeID: UInt64

  /// The counter that versions come from.
  public let versions: VersionCounter
  /// The counter that versions come from.
  public var unwrittenVersions: VersionCounter? { versions }

  /// The time by which features expire.
  public let clock: WallClock

  private var core: StoreCore?
  var activeImport: ActiveImport?
  /// The features of the last import, sorted, if its collection holds no others.
  var ascended: (info: CollectionInfo, sorting: IndexFileSorting)?

  /// Opens the store of a directory. Creates the directory, its parents and an empty database if need be.
  ///
  /// Throws ``StoreError/directoryInUse(path:processID:)`` while another store holds the directory.
  /// Finds damage of the header, the schema and the small tables; damage of rows is found by
  /// ``loadIndex(of:)``.
  ///
  /// - Throws: ``StoreError`` if another store holds the directory, or it can't be opened or is damaged.
  public init(directory: String, clock: WallClock = WallClock()) throws(StoreError) {
    let core = try StoreCore(directory: directory, clock: clock)
    self.core = core
    self.clock = clock
    storeID = core.storeID
    versions = core.versions
  }

  deinit {
    // The last reference may be released anywhere.
    isolate(to: .unchecked)
    close()
  }

  /// Sets where the store is used from now on. Debug builds check every use of the database.
  public func isolate(to isolation: Isolation) { core?.connection.isolation = isolation }

  /// Every collection, by id.
  ///
  /// - Throws: ``StoreError/damaged(path:reason:)`` if a row isn't as it was written.
  public func collections() throws(StoreError) -> [CollectionInfo] {
    try opened().collections.all()
  }

  /// Creates a collection, or changes its title, description, time to live and temporal properties. The time to
  /// live is in milliseconds, more than 0, and counts for later writes.
  ///
  /// - Throws: ``StoreError`` if the disk is full or fails.
  public func putCollection(
    _ id: String, title: ValueUpdate<String>, description: ValueUpdate<String>,
    ttl: ValueUpdate<Int64> = .keep, temporal: ValueUpdate<TemporalProperties> = .keep
  ) throws(StoreError) -> (info: CollectionInfo, created: Bool) {
    let core = try writable()
    return try core.transaction.write { () throws(StoreError) in
      var (info, created) = try core.collectionToWrite(id)
      info.title = title.applied(to: info.title)
      info.description = description.applied(to: info.description)
      info.ttl = ttl.applied(to: info.ttl)
      info.temporal = temporal.applied(to: info.temporal)
      core.collections.save(info)
      return (info, created)
    }
  }

  /// Deletes a collection. Returns the database's version after that, or nil if there is no such collection.
  ///
  /// Its rows stay until ``clearDropped(atMost:)`` deletes them, so that this takes the same time for
  /// collections of any size, and little space where the disk is full. The file keeps its size, and the space
  /// is used again.
  ///
  /// - Throws: ``StoreError`` if the disk is full or fails.
  public func dropCollection(_ id: String) throws(StoreError) -> Int64? {
    let core = try writable()
    return try core.transaction.write { () throws(StoreError) in
      guard let info = try core.collections.find(id) else { return nil }
      try core.changes.drop(info.key)
      let version = core.collections.nextVersion()
      try core.collections.setAside(info, at: version)
      core.mayHaveDropped = true
      return version
    }
  }

  /// Deletes some rows of collections that were dropped, in one transaction.
  ///
  /// - Parameter limit: the most rows.
  /// - Returns: whether there may be more.
  /// - Throws: ``StoreError`` if the disk is full or fails.
  public func clearDropped(atMost limit: Int) throws(StoreError) -> Bool {
    let core = try writable()
    guard core.mayHaveDropped else { return false }
    guard let info = try core.collections.anyDropped() else {
      core.mayHaveDropped = false
      return false
    }
    try core.transaction.write { () throws(StoreError) in
      if try core.features.clear(info.key, limit: limit) < limit {
        try core.collections.delete(info)
      }
    }
    return true
  }

  /// Raises the ceiling of versions if it is near, for changes that are published without being written.
  ///
  /// - Throws: ``StoreError`` if the disk is full or fails.
  public func reserveVersions() throws(StoreError) {
    let core = try writable()
    if core.versions.dueCeiling != nil { try core.transaction.write {} }
  }

  /// Ends an import as ``rollbackImport()`` does, copies the log into the database and unlocks the directory.
  /// Every later call throws. Closing again does nothing.
  public func close() {
    rollbackImport()
    ascended = nil
    let isInPlace = isInPlace
    core?.giveVersionsBack()
    guard let lock = core?.lock, let path = core?.connection.path else { return }
    core?.connection.foldsLogOnClose(true)
    core = nil
    // The directory is still locked. A full disk may have kept the log from being folded in.
    // Another directory in its place is none of its business.
    if isInPlace, DataDirectory.isMissing(path + "-wal") { CommitMark.remove(besides: path) }
    withExtendedLifetime(lock) {}
  }

  /// Whether the files of the store are still where they were opened. If not, no write succeeds.
  public var isInPlace: Bool { core?.places.areSame ?? false }

  /// Why the log of writes couldn't be copied into the database when that was tried last; nil if it could.
  public var logFault: String? { core?.connection.logFault }

  /// Keeps space on the disk for ``makingRoom(_:)``, if there is any.
  public func keepReserve() {
    guard isInPlace, let core else { return }
    core.reserve.fill()
    if !core.reserve.isDiskFull { core.connection.mayGrow(true) }
  }

  /// Calls `body`, which deletes, with the space that was kept for that.
  ///
  /// It lets the whole log be copied into the database, so that the log begins anew in its own space. As long as
  /// the disk is full, the database may not grow from then on, so that this stays so.
  public func makingRoom(_ body: () -> Void) {
    if let core {
      core.reserve.giveUp()
      core.connection.checkpoint()
      core.connection.mayGrow(false)
    }
    body()
    if isInPlace { core?.reserve.fill(withAll: true) }
  }

  /// The open database.
  func opened() throws(StoreError) -> StoreCore {
    guard let core else { throw .io(reason: "the store is closed") }
    return core
  }

  /// The open database, for a transaction of its own.
  func writable() throws(StoreError) -> StoreCore {
    guard activeImport == nil else { throw .io(reason: "an import is under way") }
    return try opened()
  }
}
