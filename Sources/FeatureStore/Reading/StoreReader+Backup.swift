import CSQLite
import Glibc

extension StoreReader {
  /// The pages that are copied at a time.
  private static let step: Int32 = 256

  /// Copies the database into a directory, under the name under which a store finds it there. The name is there only
  /// once the copy is complete and on disk.
  ///
  /// - Parameters:
  ///   - directory: is created if need be. Must be empty, apart from the rest of a cancelled copy.
  ///   - progress: is called with the share that is done. An error that it throws ends the copy, and nothing is
  ///     left.
  /// - Throws: ``StoreError`` if the directory isn't empty, the log has lost its end, or the copy fails; or the error of
  ///   `progress`.
  /// - Complexity: O(pages of the database).
  public func backUp(
    to directory: String, progress: (Double) throws -> Void
  ) throws {
    try checkLog()
    try DataDirectory.prepare(directory)
    let draft = directory + "/" + DatabaseFile.name + ".new"
    let names = DataDirectory.names(in: directory).filter { ![".", ".."].contains($0) }
    guard names.allSatisfy({ $0 == DatabaseFile.name + ".new" }) else {
      throw StoreError.unreadable(path: directory, reason: "it is not empty")
    }
    DataDirectory.remove(draft)
    do {
      try copy(to: draft, progress)
      // The copy has the permissions of the database.
      var status = stat()
      if stat(path, &status) == 0 { chmod(draft, status.st_mode & 0o777) }
      try DataDirectory.synchronize(draft)
      try DataDirectory.move(draft, to: directory + "/" + DatabaseFile.name, in: directory)
    } catch {
      DataDirectory.remove(draft)
      throw error
    }
  }

  private func copy(to draft: String, _ progress: (Double) throws -> Void) throws {
    let target = try Connection(path: draft, .new)
    // It is synchronized as a whole.
    try target.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    guard let backup = sqlite3_backup_init(target.handle, "main", connection.handle, "main") else {
      throw target.error(sqlite3_extended_errcode(target.handle))
    }
    var code = SQLITE_OK
    do {
      while code == SQLITE_OK {
        code = sqlite3_backup_step(backup, StoreReader.step)
        let pages = Double(max(sqlite3_backup_pagecount(backup), 1))
        try progress(1 - Double(sqlite3_backup_remaining(backup)) / pages)
      }
    } catch {
      sqlite3_backup_finish(backup)
      throw error
    }
    let result = sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, result == SQLITE_OK else {
      throw target.error(result == SQLITE_OK ? code : result)
    }
  }
}
