import ClusterCore
import Glibc

/// Writes an index file, under another name until it is complete and on disk.
///
/// Not `Sendable`; it may be used on any thread.
final class IndexFileWriter {
  private let path: String
  /// The path until the file is complete.
  private let draft: String
  private let descriptor: Int32
  private var entries: [IndexFileLayout.Entry] = []
  private var offset = IndexFileLayout.sectionsOffset
  private var unsynchronized = 0
  private var isFinished = false

  /// The number of bytes after which they are synchronized, so that the last synchronization doesn't hold up
  /// those of the database.
  private static let stretch = 32 << 20

  init(_ path: String) throws(StoreError) {
    self.path = path
    draft = path + ".new"
    descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw DataDirectory.failure("written", path) }
  }

  deinit {
    close(descriptor)
    if !isFinished { DataDirectory.remove(draft) }
  }

  func append(_ section: IndexFileSection, _ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    guard IndexFile.write(bytes, to: descriptor, at: offset) else {
      throw DataDirectory.failure("written", path)
    }
    entries.append(
      IndexFileLayout.Entry(section, offset: offset, checksum: bytes.crc32()))
    offset += bytes.count
    unsynchronized += bytes.count
    guard unsynchronized >= IndexFileWriter.stretch else { return }
    unsynchronized = 0
    guard fdatasync(descriptor) == 0 else { throw DataDirectory.failure("written", path) }
  }

  /// Completes the file. It is on disk under its name when this returns.
  func finish(_ identity: IndexFileLayout.Identity) throws(StoreError) {
    let isWritten =
      entries.withUnsafeBytes { IndexFile.write($0, to: descriptor, at: offset) }
      && IndexFileLayout.head(identity, entries, offset: offset).withUnsafeBytes {
        IndexFile.write($0, to: descriptor, at: 0)
      }
    guard isWritten, fsync(descriptor) == 0 else { throw DataDirectory.failure("written", path) }
    try DataDirectory.move(draft, to: path, in: DataDirectory.parent(of: path))
    isFinished = true
  }
}

/// An index file that is being written. The file is a cache: with it the next start needn't build the index
/// from the rows.
public struct IndexFileDraft: Sendable {
  let file: IndexFileName
  let path: String
  let identity: IndexFileLayout.Identity

  /// Writes the file, on any thread. On failure, such as a full disk, there is no file.
  ///
  /// - Parameters:
  ///   - index: the collection as it was when the file was begun.
  ///   - isWanted: called now and then; once it returns false this throws.
  public func write(_ index: FeatureIndex, while isWanted: () -> Bool) throws {
    let writer = try IndexFileWriter(path)
    try index.encode { section, bytes in
      guard isWanted() else { throw StoreError.io(reason: "the index is no longer wanted") }
      try writer.append(section, bytes)
    }
    try writer.finish(identity)
  }
}
