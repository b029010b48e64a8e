/// The write transaction of a connection: at most one is open.
///
/// SQLite undoes a whole transaction by itself when the disk is full or fails, also within a savepoint.
/// Statements after that would be committed one by one. So the transaction then counts as lost, and
/// everything but its end throws the error that was its cause.
final class Transaction {
  /// Whether it has begun and hasn't ended.
  private(set) var isOpen = false
  /// The error because of which it can no longer be committed.
  private var loss: StoreError?
  private var isInSavepoint = false
  /// The size of the database's file before space was taken for this transaction; nil if none was.
  private var sizeBefore: Int64?
  /// The files that it writes, which must be in their places when it is committed.
  var places: FilePlaces?

  private let connection: Connection
  private let collections: CollectionTable
  private let changes: ChangeLog
  private let begin: Statement
  private let commit: Statement
  private let pageCount: Statement
  private let set: Statement
  private let release: Statement
  private let rollbackToSavepoint: Statement

  init(
    _ connection: Connection, _ collections: CollectionTable, _ changes: ChangeLog
  ) throws(StoreError) {
    self.connection = connection
    self.collections = collections
    self.changes = changes
    begin = try Statement("BEGIN IMMEDIATE", on: connection)
    commit = try Statement("COMMIT", on: connection)
    pageCount = try Statement("PRAGMA page_count", on: connection)
    set = try Statement("SAVEPOINT one", on: connection)
    release = try Statement("RELEASE one", on: connection)
    rollbackToSavepoint = try Statement("ROLLBACK TO one", on: connection)
  }

  /// Begins.
  func open() throws(StoreError) {
    try begin.run()
    isOpen = true
  }

  /// Commits. If this throws, the transaction is still to be undone.
  ///
  /// - Throws: ``StoreError/uncertain(reason:)`` if the disk fails when all is written. The transaction is undone even so, but
  ///   after a crash the next start finds it in the log, unless a later one has been written over it.
  func close() throws(StoreError) {
    if let loss { throw loss }
    try collections.flush()
    try changes.flush()
    if let places, !places.areSame { throw .gone(path: DataDirectory.parent(of: connection.path)) }
    // A log that the disk has no room to copy would take its space for good, and nothing could be deleted.
    let pages = try pageCount.first { row throws(StoreError) in row.integer(0) }
    sizeBefore = try DataDirectory.size(of: connection.path).map { Int64($0) }
    try connection.allocate(pages: pages ?? 0)
    do { try commit.run() } catch {
      guard connection.mayHaveCommitted else { throw error }
      throw .uncertain(reason: "\(error)")
    }
    reset(isOnDisk: true)
  }

  /// Rolls back.
  func undo() {
    connection.rollback()
    // Without a log nothing else would give it back.
    if let sizeBefore { try? connection.shrink(to: sizeBefore) }
    reset(isOnDisk: false)
  }

  private func reset(isOnDisk: Bool) {
    collections.forget(isOnDisk: isOnDisk)
    changes.forget(isOnDisk: isOnDisk)
    isOpen = false
    isInSavepoint = false
    sizeBefore = nil
    loss = nil
  }

  /// Runs a write in a transaction of its own, or as part of the one that is open.
  func write<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    guard isOpen else { return try alone(body) }
    if let loss { throw loss }
    do {
      return try body()
    } catch {
      // Its writes can't be undone without those of others.
      if !isInSavepoint || !connection.isInTransaction { loss = error }
      throw error
    }
  }

  private func alone<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    try open()
    do {
      let result = try body()
      try close()
      return result
    } catch {
      undo()
      throw error
    }
  }

  /// Runs a part of the open transaction. If it throws, its writes are undone, and nothing else.
  func part<R>(_ body: () throws -> R) throws -> R {
    guard isOpen, !isInSavepoint else {
      throw StoreError.io(reason: "a savepoint outside of a transaction, or within another")
    }
    if let loss { throw loss }
    try set.run()
    collections.mark()
    isInSavepoint = true
    defer { isInSavepoint = false }
    do {
      let result = try body()
      if let loss { throw loss }
      try release.run()
      return result
    } catch {
      undoPart(because: error)
      throw error
    }
  }

  private func undoPart(because error: any Error) {
    guard loss == nil else { return }
    do {
      try rollbackToSavepoint.run()
      try release.run()
      collections.undoToMark()
    } catch let failure {
      loss = error as? StoreError ?? failure
    }
  }
}
