import CSQLite
import TestSupport
import Threading

@testable import FeatureStore

/// The database file of a store, on a disk that fails to synchronize it when it is told to. What was written since the
/// last synchronization is then lost once the power fails, as with Linux: it forgets these pages, and the next synchronization
/// succeeds without them.
final class ForgetfulFile: Sendable {
  private struct State {
    var disk: [UInt8]
    /// What a synchronization brings to the disk.
    var pending: [(offset: Int, bytes: [UInt8])] = []
    var fails = false
    var syncs = 0

    /// Brings to the disk what is to be.
    mutating func write() {
      for (offset, bytes) in pending {
        disk += [UInt8](repeating: 0, count: max(offset + bytes.count - disk.count, 0))
        disk.replaceSubrange(offset..<offset + bytes.count, with: bytes)
      }
    }
  }

  /// By the addresses of SQLite's files.
  private static let all = Locked<[UInt: ForgetfulFile]>([:])
  private let state: Locked<State>
  private let methods: sqlite3_io_methods

  /// Takes the place of an open store's file, all of which is on the disk.
  init(of store: SQLiteStore, in directory: TemporaryDirectory) throws {
    let handle = try store.writable().connection.handle
    var file: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard let file, let methods = file.pointee.pMethods?.pointee else {
      throw StoreError.io(reason: "the store has no file")
    }
    self.methods = methods
    state = Locked(State(disk: try directory.bytes(of: SQLiteStore.fileName)))
    let address = UInt(bitPattern: file)
    ForgetfulFile.all.withLock { $0[address] = self }
    // It outlives the connection.
    let own = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    own.initialize(to: methods)
    own.pointee.xWrite = { file, bytes, count, offset in
      guard let own = ForgetfulFile.of(file), let bytes else { return SQLITE_IOERR }
      let written = UnsafeRawBufferPointer(start: bytes, count: Int(count))
      own.state.withLock { $0.pending.append((Int(offset), Array(written))) }
      return own.methods.xWrite(file, bytes, count, offset)
    }
    own.pointee.xSync = { file, flags in
      guard let own = ForgetfulFile.of(file), own.synchronize() else {
        return ForgetfulFile.of(file)?.methods.xSync(file, flags) ?? SQLITE_IOERR
      }
      // SQLITE_IOERR_FSYNC, whose macro Swift doesn't see.
      return SQLITE_IOERR | 4 << 8
    }
    file.pointee.pMethods = UnsafePointer(own)
  }

  private static func of(_ file: UnsafeMutablePointer<sqlite3_file>?) -> ForgetfulFile? {
    let address = UInt(bitPattern: file)
    return all.withLock { $0[address] }
  }

  /// Returns whether that fails.
  private func synchronize() -> Bool {
    state.withLock { state in
      state.syncs += 1
      if !state.fails { state.write() }
      state.pending = []
      defer { state.fails = false }
      return state.fails
    }
  }

  /// Has the next synchronization fail.
  func failNext() { state.withLock { $0.fails = true } }
  /// The number of synchronizations, and that of writes since the last one.
  var counts: (syncs: Int, pending: Int) { state.withLock { ($0.syncs, $0.pending.count) } }

  /// A directory as a power failure leaves it, of which all other files are on the disk.
  func directoryAfterPowerFailure(of directory: TemporaryDirectory) throws -> TemporaryDirectory {
    let after = try TemporaryDirectory()
    let ignored = [SQLiteStore.fileName, SQLiteStore.fileName + "-shm"]
    for name in directory.names where !ignored.contains(name) {
      try after.write(try directory.bytes(of: name), as: name)
    }
    // The space that was taken for it is its own.
    let size = try directory.bytes(of: SQLiteStore.fileName).count
    let disk = state.withLock { $0.disk }
    let rest = [UInt8](repeating: 0, count: max(size - disk.count, 0))
    try after.write(disk + rest, as: SQLiteStore.fileName)
    return after
  }
}
