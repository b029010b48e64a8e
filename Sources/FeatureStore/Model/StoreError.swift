import Glibc

/// An error of the store. When one is thrown, nothing has been changed, except where ``uncertain(reason:)`` leaves that open.
public enum StoreError: Error, Sendable, Equatable {
  /// Another process (or another store in this one) holds the data directory.
  case directoryInUse(path: String, processID: Int32?)
  /// The path names a file, or leads through one.
  case notADirectory(path: String, reason: String)
  /// The directory or a file in it can't be opened.
  case unreadable(path: String, reason: String)
  /// The database was written by a newer version of this program.
  case newerSchema(path: String, found: Int, supported: Int)
  /// The database was written by another program or is incomplete. It is never replaced by a new one.
  case damaged(path: String, reason: String)
  /// The disk or quota is full, or the file may not grow.
  case full(reason: String)
  /// The files of the data directory have been removed or replaced.
  case gone(path: String)
  /// The directory or the database can't be written to.
  case readOnly(reason: String)
  /// The operating system or SQLite failed, or a method was called at the wrong time.
  case io(reason: String)
  /// The database can't be reached, or is held up; it may be there again in a moment.
  case away(reason: String)
  /// The database was lost while a transaction ended, and didn't come back in time to tell how; or the disk failed when
  /// everything was written, and only synchronizing it was left. The changes may be there, now or after a crash.
  case uncertain(reason: String)
  /// The database doesn't let the service in, or doesn't let it make its tables.
  case refused(reason: String)
  /// The collection's features are those of a table that isn't the store's, and are written there.
  case attached(collection: String)
  /// Another instance has dropped the collection meanwhile.
  case dropped(collection: String)
  /// Other processes have written to the collection what this one has no memory for.
  case noMemory(collection: String)
  /// Somebody else was faster; the transaction is to be begun again.
  case conflict(reason: String)
  /// The collection has held an integer id so large that no larger one is left.
  case idsExhausted(collection: String)

  /// Translates an error number; nil for those without a case of their own.
  init?(errno number: Int32, path: String) {
    switch number {
    case ENOSPC, EDQUOT, EFBIG: self = .full(reason: "\(path): \(message(errno: number))")
    case EROFS: self = .readOnly(reason: "\(path): \(message(errno: number))")
    default: return nil
    }
  }
}

extension StoreError: CustomStringConvertible {
  /// A sentence of one line for people.
  public var description: String {
    switch self {
    case .directoryInUse(let path, let processID?):
      "the data directory \(path) is in use by process \(processID)"
    case .directoryInUse(let path, nil): "the data directory \(path) is in use by another process"
    case .notADirectory(let path, let reason): "\(path) is not a directory: \(reason)"
    case .unreadable(let path, let reason): "\(path) can't be opened: \(reason)"
    case .newerSchema(let path, let found, let supported):
      "\(path) was written by a newer version of pincluster: its schema has version \(found), and this program knows "
        + "versions up to \(supported); start the newer one, or restore a backup from before the upgrade"
    case .damaged(let path, let reason): "the database \(path) is damaged: \(reason)"
    case .full(let reason): "no space left for the database: \(reason)"
    case .gone(let path): "the data directory \(path) has been removed or replaced"
    case .readOnly(let reason): "the database can't be written to: \(reason)"
    case .io(let reason): "the database failed: \(reason)"
    case .away(let reason): "the database is away: \(reason)"
    case .uncertain(let reason): "the end of a transaction is unknown: \(reason)"
    case .refused(let reason): "the database can't be used: \(reason)"
    case .attached(let collection): "the collection \(collection) is attached to a table"
    case .dropped(let collection): "the collection \(collection) has been dropped"
    case .noMemory(let collection):
      "there is no memory for what others have written to the collection \(collection)"
    case .conflict(let reason): "others were faster: \(reason)"
    case .idsExhausted(let collection):
      "no integer id is left in the collection \(collection): the largest is 2^53−1"
    }
  }
}

/// Returns the system's text for an error number.
func message(errno number: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  guard strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
  return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
