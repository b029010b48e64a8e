import CSQLite
import Glibc

/// A record of the last commit in a file beside the database. With it a start finds out that the end of
/// the write-ahead log is missing, which SQLite doesn't notice: it takes the first incomplete frame for
/// the end of the log.
///
/// The mark is written after each commit, before the commit is acknowledged. It isn't synchronized, so
/// after a power failure it may be older than the database, which is harmless. It is newer only if
/// commits were lost. Closing the store removes it.
final class CommitMark {
  static let fileName = "pincluster.commit"

  /// The contents of the database after a commit, in short.
  fileprivate struct State: Equatable {
    var storeID: Int64
    /// The latest version of the existing collections.
    var version: Int64
    var collections: Int64
    var features: Int64
    /// The latest version of any collection so far, including dropped ones.
    var latest: Int64
  }

  private let path: String
  private let connection: Connection
  private let query: Statement
  private var descriptor: Int32
  private var latest: Int64 = 0

  /// Compares a database with its mark and throws ``StoreError/damaged(path:reason:)`` if commits are
  /// missing.
  static func check(_ connection: Connection) throws(StoreError) {
    let path = path(besides: connection.path)
    guard try DataDirectory.size(of: path) != nil,
      let noted = State(try DataDirectory.prefix(of: path, count: State.length))
    else { return }
    guard let found = try state(Statement(State.query, on: connection)),
      found.storeID == noted.storeID, !found.follows(noted)
    else { return }
    throw .damaged(
      path: connection.path,
      reason: "what was written last, up to version \(noted.latest), isn't there: its log is "
        + "damaged or missing. To go on with what is left, remove \(path)")
  }

  /// Whether there is a mark beside a database.
  static func exists(besides database: String) throws(StoreError) -> Bool {
    try DataDirectory.size(of: path(besides: database)) != nil
  }

  private static func path(besides database: String) -> String {
    DataDirectory.parent(of: database) + "/" + fileName
  }

  /// Marks every commit of a connection from now on. The connection must have no other hook on its log.
  init(_ connection: Connection) throws(StoreError) {
    self.connection = connection
    path = CommitMark.path(besides: connection.path)
    query = try Statement(State.query, on: connection)
    descriptor = try CommitMark.open(path)
    sqlite3_wal_hook(
      connection.handle,
      { context, _, _, frames in
        guard let context else { return SQLITE_OK }
        Unmanaged<CommitMark>.fromOpaque(context).takeUnretainedValue().committed(frames: frames)
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
    // When the collection of the latest version is dropped, the database would seem older than its mark.
    sqlite3_update_hook(
      connection.handle,
      { context, operation, _, table, _ in
        guard let context, let table, operation == SQLITE_DELETE,
          strcmp(table, "collections") == 0
        else { return }
        Unmanaged<CommitMark>.fromOpaque(context).takeUnretainedValue().forget()
      }, Unmanaged.passUnretained(self).toOpaque())
    note()
  }

  deinit {
    sqlite3_wal_hook(connection.handle, nil, nil)
    sqlite3_update_hook(connection.handle, nil, nil)
    if descriptor >= 0 { close(descriptor) }
  }

  /// Opens the file. One of another user is replaced. If there can't be one, there is no mark, and everything else works; an
  /// old mark may not stay.
  private static func open(_ path: String) throws(StoreError) -> Int32 {
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let descriptor = Glibc.open(path, flags, 0o644)
    guard descriptor < 0 else { return descriptor }
    DataDirectory.remove(path)
    guard DataDirectory.isMissing(path) else {
      throw .readOnly(reason: "\(path) can't be opened for writing")
    }
    return Glibc.open(path, flags, 0o644)
  }

  /// Removes the mark.
  static func remove(besides database: String) {
    DataDirectory.remove(path(besides: database))
  }

  private func committed(frames: Int32) {
    note()
    // SQLite does this by itself for connections without a hook, but whatever room there is on the disk.
    let room = DataDirectory.free(in: DataDirectory.parent(of: connection.path)) / 16
    let most = min(max(room / CommitMark.frameBytes, CommitMark.fewFrames), CommitMark.manyFrames)
    if Int(frames) >= most { connection.checkpoint() }
  }

  /// The log is copied into the database when it takes a sixteenth of the free space, within these numbers of frames.
  private static let (fewFrames, manyFrames) = (16, 1000)
  /// The size of a frame, in bytes.
  private static let frameBytes = 8192 + 24

  private func note() {
    guard var state = try? CommitMark.state(query) else { return }
    latest = max(latest, state.version)
    state.latest = latest
    write(state.bytes)
  }

  /// Clears the mark, on disk too, in case the power fails before the next mark is there.
  private func forget() {
    write(State.none)
    if descriptor >= 0, fdatasync(descriptor) != 0 { giveUp() }
  }

  /// Removes a mark that can't be written any more: an old one would have a start take a database for damaged.
  private func giveUp() {
    close(descriptor)
    descriptor = -1
    DataDirectory.remove(path)
    // If this fails, the next start may refuse the database, which it would without it.
    try? DataDirectory.synchronize(DataDirectory.parent(of: path))
  }

  private func write(_ bytes: [UInt8]) {
    // One call, so that a kill can't leave half of it.
    guard descriptor >= 0 else { return }
    let count = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    if count != bytes.count { giveUp() }
  }

  private static func state(_ query: Statement) throws(StoreError) -> State? {
    try query.first { row throws(StoreError) in
      State(
        storeID: row.integer(0), version: row.integer(1), collections: row.integer(2),
        features: row.integer(3), latest: row.integer(1))
    }
  }
}

extension CommitMark.State {
  static let query = """
    SELECT (SELECT id FROM store), ifnull(max(version), 0), count(*), ifnull(sum(feature_count), 0)
    FROM collections
    """

  static let length = 48
  /// The bytes of no state.
  static let none = [UInt8](repeating: 0, count: length)

  /// Whether a database in this state has lost no commit since `noted`, after which there may have been one
  /// more.
  func follows(_ noted: CommitMark.State) -> Bool {
    if version > noted.latest { return true }
    // Features that have expired are deleted without a new version.
    return version == noted.version && collections == noted.collections
      && features <= noted.features
  }

  /// Five integers and their CRC-32, each in 8 bytes, little-endian.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for number in [storeID, version, collections, features, latest] {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
    let checksum = UInt64(bytes.withUnsafeBytes { $0.crc32() })
    withUnsafeBytes(of: checksum.littleEndian) { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// Reads ``bytes`` back; nil for anything else.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.length else { return nil }
    let numbers = stride(from: 0, to: 40, by: 8).map { start in
      bytes.withUnsafeBytes {
        Int64(littleEndian: $0.loadUnaligned(fromByteOffset: start, as: Int64.self))
      }
    }
    self.init(
      storeID: numbers[0], version: numbers[1], collections: numbers[2], features: numbers[3],
      latest: numbers[4])
    guard self.bytes == bytes else { return nil }
  }
}
