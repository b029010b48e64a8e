import ClusterCore
import Glibc

/// Writes an index file, under another name until it is complete and on disk.
///
/// Not `Sendable`; it may be used on any thread.
final class IndexFileWriter {
  private let path: String
  private let descriptor: Int32
  private var entries: [IndexFileLayout.Entry] = []
  private var offset = IndexFileLayout.headSize
  private var unsynchronized = 0
  private var isFinished = false

  /// The number of bytes after which they are synchronized, so that the last synchronization doesn't hold up
  /// those of the database.
  private static let stretch = 32 << 20

  /// The path of a file until it is complete.
  static func draft(of path: String) -> String { path + ".new" }

  init(_ path: String) throws(StoreError) {
    self.path = path
    descriptor = open(
      IndexFileWriter.draft(of: path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw DataDirectory.failure("written", path) }
  }

  deinit {
    close(descriptor)
    if !isFinished { DataDirectory.remove(IndexFileWriter.draft(of: path)) }
  }

  func append(_ section: IndexFileSection, _ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    try write(bytes, at: offset)
    entries.append(
      IndexFileLayout.Entry(
        section: section, offset: offset, checksum: IndexFileLayout.checksum(bytes)))
    offset += bytes.count
    unsynchronized += bytes.count
    guard unsynchronized >= IndexFileWriter.stretch else { return }
    unsynchronized = 0
    guard fdatasync(descriptor) == 0 else { throw DataDirectory.failure("written", path) }
  }

  /// Completes the file. It is on disk under its name when this returns.
  func finish(_ identity: IndexFileLayout.Identity) throws(StoreError) {
    let table = IndexFileLayout.table(entries)
    let head = IndexFileLayout.head(
      identity, table: table, count: entries.count, offset: offset)
    try write(table, at: offset)
    try write(head, at: 0)
    guard fsync(descriptor) == 0 else { throw DataDirectory.failure("written", path) }
    try DataDirectory.move(
      IndexFileWriter.draft(of: path), to: path, in: DataDirectory.parent(of: path))
    isFinished = true
  }

  private func write(_ bytes: [UInt8], at offset: Int) throws(StoreError) {
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(StoreError) in try write(bytes, at: offset) }
    }.get()
  }

  private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StoreError) {
    guard IndexFile.write(bytes, to: descriptor, at: offset) else {
      throw DataDirectory.failure("written", path)
    }
  }
}
