import ClusterCore

/// The database of a data directory, as it was when it was opened, for reading. A service may use it meanwhile; what
/// that writes collects in the log until the reader is gone.
///
/// Not `Sendable`: one user at a time.
public final class StoreReader {
  /// Whether a process, such as a service, holds the directory.
  public let isHeld: Bool
  /// Whether the schema is that of this program. Of an older one only the structure can be read.
  public let isCurrent: Bool
  let connection: Connection
  let clock: WallClock

  /// Opens the database of a directory.
  ///
  /// - Parameter leavesNoTrace: whether nothing in the directory may be changed if no process holds it and there is
  ///   no log. A service that is started meanwhile then finds the directory in use. Otherwise SQLite may leave an
  ///   empty log.
  /// - Throws: ``StoreError`` if there is no database, or it can't be read or is of a newer version.
  public init(
    directory: String, leavesNoTrace: Bool = false, clock: WallClock = WallClock()
  ) throws(StoreError) {
    let (connection, schema, isHeld) = try DatabaseFile.openForReading(
      in: directory, leavesNoTrace: leavesNoTrace)
    (self.connection, self.isHeld, self.clock) = (connection, isHeld, clock)
    isCurrent = schema == Schema.version
    connection.limitCache(toMebibytes: DatabaseFile.ordinaryCache)
  }

  /// Makes sure that the log has its end where no process holds the directory: what was acknowledged last may be missing.
  ///
  /// - Throws: ``StoreError/damaged(path:reason:)`` if it hasn't.
  public func checkLog() throws(StoreError) {
    if !isHeld { try CommitMark.check(connection) }
  }

  /// The database.
  public var path: String { connection.path }

  /// Every collection, by id.
  ///
  /// - Throws: ``StoreError/damaged(path:reason:)`` if a row isn't as it was written.
  public func collections() throws(StoreError) -> [CollectionInfo] {
    try needsCurrentSchema()
    return try CollectionTable(connection, versions: VersionCounter(after: 0, clock: clock)).all()
  }

  /// Hands over all features of a collection that haven't expired, in the order of their ids. The consumer runs on
  /// another thread, one call at a time and none after this returns. Damage is an error.
  ///
  /// - Throws: the error of `consumer`, or ``StoreError/damaged(path:reason:)``.
  public func read(
    _ info: CollectionInfo, _ consumer: @escaping @Sendable (FeatureBatch) throws -> Void
  ) throws {
    _ = try RowLoader(connection: connection, info: info, now: clock.now).load(into: consumer)
  }

  func needsCurrentSchema() throws(StoreError) {
    guard isCurrent else {
      throw .io(
        reason:
          "\(path) was written by an older version; start the service once to bring it up to date")
    }
  }
}
