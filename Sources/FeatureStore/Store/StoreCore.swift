import ClusterCore

/// An open database with its prepared statements. They are released as a whole: first the statements, then
/// the connection, then the directory's lock, each by the object that holds the one before.
final class StoreCore {
  let connection: Connection
  let collections: CollectionTable
  let features: FeatureTable
  let changes: ChangeLog
  let storeID: UInt64
  let versions: VersionCounter
  let transaction: Transaction
  let lock: DirectoryLock
  /// Whether the free pages of a large database are still to be checked.
  let needsPageCheck: Bool
  /// The files of the store, where they were opened.
  let places: FilePlaces
  let reserve: Reserve
  /// Whether rows of collections that were dropped may still be there.
  var mayHaveDropped = true
  private let mark: CommitMark

  init(directory: String, clock: WallClock) throws(StoreError) {
    try DataDirectory.prepare(directory)
    lock = try DirectoryLock(directory: directory)
    let isOld = try DatabaseFile.exists(in: directory)
    connection = try DatabaseFile.open(in: directory, holding: lock)
    // Without the mark of a process that was killed, its last commits may be missing, whose versions were told.
    let isCut = lock.past == .cut ? try !CommitMark.exists(besides: connection.path) : false
    if isOld, lock.past == .none || isCut { try StoreCore.renew(connection, clock) }
    guard let id = try connection.integer("SELECT id FROM store WHERE typeof(version) = 'integer'")
    else { throw connection.damage("its counter is missing") }
    storeID = UInt64(bitPattern: id)
    let last = try connection.integer("SELECT version FROM store") ?? -1
    let latest = try connection.integer("SELECT max(version) FROM collections") ?? 0
    guard last >= max(latest, 0), last <= FeatureID.integerRange.upperBound else {
      throw connection.damage("its counter makes no sense")
    }
    versions = VersionCounter(after: last, clock: clock)
    needsPageCheck = try DatabaseFile.needsPageCheck(connection)
    collections = try CollectionTable(connection, versions: versions)
    changes = try ChangeLog(connection)
    features = try FeatureTable(connection, changes)
    transaction = try Transaction(connection, collections, changes)
    mark = try CommitMark(connection)
    lock.settle()
    let path = connection.path
    places = FilePlaces([path, path + "-wal", directory + "/" + DirectoryLock.fileName])
    reserve = Reserve(directory: directory)
    transaction.places = places
    IndexFileName.removeAll(
      besides: connection.path, but: changes.states.values.compactMap(\.file))
  }

  /// Gives a restored copy an identity of its own, and versions that its original doesn't come to: both have the same up to the
  /// copy, and would give the next ones to other contents, which clients and caches take for the same. The rest of a
  /// database whose log is lost is such a copy.
  private static func renew(_ connection: Connection, _ clock: WallClock) throws(StoreError) {
    let id = Int64(bitPattern: UInt64.random(in: .min ... .max))
    let version = VersionCounter.afterRestoring(at: clock.now)
    try connection.transaction { () throws(StoreError) in
      try connection.execute(
        "UPDATE store SET id = \(id), version = max(version, \(version))")
    }
  }

  /// Lowers the ceiling to the last version, if it can be written.
  func giveVersionsBack() {
    guard versions.isAhead else { return }
    try? connection.transaction { () throws(StoreError) in
      try collections.saveCeiling(versions.last)
    }
  }

  /// The collection with an id, created if there is none, at a new version that is still to be saved.
  func collectionToWrite(_ id: String) throws(StoreError)
    -> (info: CollectionInfo, created: Bool)
  {
    let version = collections.nextVersion()
    if var info = try collections.find(id) {
      info.version = version
      return (info, false)
    }
    return (try collections.create(id, version: version), true)
  }
}
