import ClusterCore
import Threading

/// Collections of features, durable in one SQLite file in a data directory.
///
/// It is made to be read once, at start-up, and written from then on: what a call wrote is on disk
/// when the call returns, and a call that throws has changed nothing and leaves the store usable.
///
/// Not `Sendable`: one user at a time. It has no thread of its own and may move between threads;
/// the caller confines it (to a queue, an actor, a mutex). The data directory belongs to one store
/// for as long as it lives. Other programs may read the file meanwhile (`sqlite3`, for a backup).
public final class FeatureStore {
  /// The version of the tables that this program writes; older ones are brought up to it.
  public static var schemaVersion: Int { Schema.version }

  /// The name of the database file in the data directory.
  public static var fileName: String { DatabaseFile.name }

  /// A random number, made with the database.
  public let storeID: UInt64

  /// The counter that versions come from.
  public let versions: VersionCounter

  /// The time by which features expire.
  public let clock: WallClock

  private var core: StoreCore?
  var activeImport: ActiveImport?
  /// What the last import has written, sorted, if that was all that its collection held.
  var ascended: (info: CollectionInfo, sorting: IndexFileSorting)?

  /// Opens the store of a directory; makes the directory, its parents and an empty database where
  /// there are none.
  ///
  /// Throws ``StoreError/directoryInUse(path:processID:)`` while another store holds the directory.
  /// Damage that the header and the schema betray is found here; deeper damage by
  /// ``loadIndex(of:)``.
  public init(directory: String, clock: WallClock = WallClock()) throws(StoreError) {
    let core = try StoreCore(directory: directory, clock: clock)
    self.core = core
    self.clock = clock
    storeID = core.storeID
    versions = core.versions
  }

  deinit {
    // Nobody else has it any more, wherever this is.
    confine(to: .unchecked)
    close()
  }

  /// Says where the store is used from now on. Debug builds check it at every use.
  public func confine(to confinement: Confinement) { core?.connection.confinement = confinement }

  /// Every collection, by id.
  public func collections() throws(StoreError) -> [CollectionInfo] {
    try opened().collections.all()
  }

  /// Makes a collection, or changes its title, description and time to live (in milliseconds, more
  /// than 0), which counts for later writes.
  public func putCollection(
    _ id: String, title: ValueUpdate<String>, description: ValueUpdate<String>,
    ttl: ValueUpdate<Int64> = .keep
  ) throws(StoreError) -> (info: CollectionInfo, created: Bool) {
    let core = try writable()
    return try core.transaction.write { () throws(StoreError) in
      var (info, created) = try core.collectionToWrite(id)
      info.title = title.applied(to: info.title)
      info.description = description.applied(to: info.description)
      info.ttl = ttl.applied(to: info.ttl)
      core.collections.save(info)
      return (info, created)
    }
  }

  /// Removes a collection and its features: the database's version after that, or nil if there is
  /// no such collection. The file keeps its size; the space is used again.
  public func dropCollection(_ id: String) throws(StoreError) -> Int64? {
    let core = try writable()
    return try core.transaction.write { () throws(StoreError) in
      guard let info = try core.collections.find(id) else { return nil }
      try core.features.deleteAll(from: info.key)
      try core.changes.drop(info.key)
      try core.collections.delete(info)
      return core.collections.nextVersion()
    }
  }

  /// Sees to it that versions are put aside for what is shown without being written first.
  public func reserveVersions() throws(StoreError) {
    let core = try writable()
    if core.versions.dueCeiling != nil { try core.transaction.write {} }
  }

  /// Copies the write-ahead log into the database file, as far as no reader needs it.
  public func checkpoint() throws(StoreError) {
    try writable().connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Ends an import as ``rollbackImport()`` does, folds the log in and gives the directory free.
  /// Every later call throws; closing again does nothing.
  public func close() {
    rollbackImport()
    ascended = nil
    core?.giveVersionsBack()
    guard let lock = core?.lock, let path = core?.connection.path else { return }
    core?.connection.foldsLogOnClose(true)
    core = nil
    // The directory is still locked. A full disk may have kept the log from being folded in.
    if DataDirectory.isMissing(path + "-wal") { CommitMark.remove(besides: path) }
    withExtendedLifetime(lock) {}
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
