import ClusterCore
import Glibc

/// Writes a file that holds an index: under another name until it is whole and on disk.
///
/// Not `Sendable`; it may be used on any thread.
final class SnapshotWriter {
  private let path: String
  private let descriptor: Int32
  private var entries: [SnapshotLayout.Entry] = []
  private var offset = SnapshotLayout.headSize
  private var unsynchronized = 0
  private var isFinished = false

  /// After so many bytes they are sent to the disk, so that the last synchronization doesn't hold up
  /// those of others.
  private static let stretch = 32 << 20

  /// The name of a file until it is whole.
  static func draft(of path: String) -> String { path + ".new" }

  init(_ path: String) throws(StoreError) {
    self.path = path
    descriptor = open(
      SnapshotWriter.draft(of: path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw DataDirectory.failure("written", path) }
  }

  deinit {
    close(descriptor)
    if !isFinished { DataDirectory.remove(SnapshotWriter.draft(of: path)) }
  }

  func append(_ section: SnapshotSection, _ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    try write(bytes, at: offset)
    entries.append(
      SnapshotLayout.Entry(
        section: section, offset: offset, checksum: SnapshotLayout.checksum(bytes)))
    offset += bytes.count
    unsynchronized += bytes.count
    guard unsynchronized >= SnapshotWriter.stretch else { return }
    unsynchronized = 0
    guard fdatasync(descriptor) == 0 else { throw DataDirectory.failure("written", path) }
  }

  /// Ends the file: it is on disk under its name when this returns.
  func finish(_ identity: SnapshotLayout.Identity) throws(StoreError) {
    let table = SnapshotLayout.table(entries)
    let head = SnapshotLayout.head(
      identity, table: table, count: entries.count, offset: offset)
    try write(table, at: offset)
    try write(head, at: 0)
    guard fsync(descriptor) == 0 else { throw DataDirectory.failure("written", path) }
    try DataDirectory.move(
      SnapshotWriter.draft(of: path), to: path, in: DataDirectory.parent(of: path))
    isFinished = true
  }

  private func write(_ bytes: [UInt8], at offset: Int) throws(StoreError) {
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(StoreError) in try write(bytes, at: offset) }
    }.get()
  }

  private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StoreError) {
    guard SnapshotFile.write(bytes, to: descriptor, at: offset) else {
      throw DataDirectory.failure("written", path)
    }
  }
}
