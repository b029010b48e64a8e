import ClusterCore
import Threading

/// Checks the parts of a database that a start hasn't: rows of collections whose index was read from its
/// file, and pages of a database that is too large to be checked before it is used. It has its own
/// connection and reads in short transactions, so that writes don't wait for it.
public final class StoreVerifier: Sendable {
  /// A connection that other threads may interrupt.
  ///
  /// `@unchecked Sendable`: one thread uses it. Others only interrupt it, which SQLite allows, under the
  /// lock that keeps it open.
  private struct Running: @unchecked Sendable {
    var connection: Connection?
    var isStopped = false
  }

  private static let slice = 4096

  private let path: String
  private let keys: [Int64]
  private let checksStructure: Bool
  private let running = Locked(Running())

  /// - Parameters:
  ///   - path: the database.
  ///   - keys: the collections whose rows are to be checked.
  ///   - checksStructure: whether to check every page too.
  init(path: String, keys: [Int64], checksStructure: Bool) {
    (self.path, self.keys, self.checksStructure) = (path, keys, checksStructure)
  }

  /// Checks everything, on the calling thread. Returns early once stopped.
  ///
  /// - Throws: ``StoreError/damaged(path:reason:)``.
  /// - Complexity: O(rows).
  public func run() throws {
    let connection = try Connection(path: path)
    connection.isolation = .currentThread
    let isStopped = running.withLock { running in
      running.connection = connection
      return running.isStopped
    }
    defer { running.withLock { $0.connection = nil } }
    if isStopped { return }
    do {
      for key in keys { try checkRows(connection, key) }
      if checksStructure { try DatabaseFile.checkPages(connection) }
    } catch {
      // A query that was interrupted fails.
      if !wasStopped { throw error }
    }
  }

  /// Makes ``run()`` return soon, also if it begins later. On any thread.
  public func stop() {
    running.withLock { running in
      running.isStopped = true
      if let connection = running.connection { connection.interrupt() }
    }
  }

  private var wasStopped: Bool { running.withLock { $0.isStopped } }

  private func checkRows(_ connection: Connection, _ key: Int64) throws {
    let reader = try RowReader(connection, .slice, of: key, hasChecksums: false)
    let checker = RowChecker(key, path: path)
    var rows = ReadRows()
    var last: FeatureID?
    while try !wasStopped && reader.slice(after: last, limit: StoreVerifier.slice, into: &rows) {
      try checker.check(rows)
      last = rows.living.batch.withRecord(at: rows.living.batch.count - 1) { $0.id }
      rows.removeAll()
    }
  }
}
