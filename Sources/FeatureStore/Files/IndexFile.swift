import ClusterCore
import Glibc

/// An index file, open for reading and mapped into memory. Records are used where they are mapped, in pages
/// of the system's cache.
///
/// `@unchecked Sendable`: nothing of it changes, and reads are positioned. A finished file is never written
/// to, only removed, which leaves the mapping valid.
final class IndexFile: IndexFileSource, @unchecked Sendable {
  let sections: [IndexFileSection]
  private let entries: [IndexFileLayout.Entry]
  private let descriptor: Int32
  private let mapping: UnsafeMutableRawPointer
  /// The size of the mapping, up to the table.
  private let size: Int

  /// The most changes since a file of so many features up to which it is worth having. With more of them a start that reads
  /// them one by one takes longer than one that reads all rows (docs/benchmarks.md).
  static func mostChanges(of featureCount: Int) -> Int { max(featureCount / 64, 1000) }

  /// Opens a file. Nil if it is missing, or if its head and table aren't those of the file with the
  /// identity.
  init?(_ path: String, of identity: IndexFileLayout.Identity) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    guard let table = IndexFile.table(descriptor, identity),
      let sections = IndexFileLayout.sections(table.entries, upTo: table.offset),
      let mapping = mmap(nil, table.offset, PROT_READ, MAP_PRIVATE, descriptor, 0),
      mapping != MAP_FAILED
    else {
      close(descriptor)
      return nil
    }
    (entries, size) = table
    (self.sections, self.mapping) = (sections, mapping)
  }

  deinit {
    munmap(mapping, size)
    close(descriptor)
  }

  private static func table(
    _ descriptor: Int32, _ identity: IndexFileLayout.Identity
  ) -> (entries: [IndexFileLayout.Entry], offset: Int)? {
    var status = stat()
    var head = [UInt8](repeating: 0, count: IndexFileLayout.headSize)
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      head.withUnsafeMutableBytes({ fill($0, from: descriptor, at: 0) }),
      let table = IndexFileLayout.table(head: head, of: identity, fileSize: Int(status.st_size)),
      table.count > 0
    else { return nil }
    let entries = [IndexFileLayout.Entry](unsafeUninitializedCapacity: table.count) {
      if fill(UnsafeMutableRawBufferPointer($0), from: descriptor, at: table.offset) {
        $1 = table.count
      }
    }
    guard entries.count == table.count,
      entries.withUnsafeBytes({ $0.crc32() }) == table.checksum
    else { return nil }
    return (entries, table.offset)
  }

  /// Fills `target` from an offset of a file, and returns whether there were enough bytes.
  static func fill(
    _ target: UnsafeMutableRawBufferPointer, from descriptor: Int32, at offset: Int
  ) -> Bool {
    var done = 0
    while done < target.count {
      let got = pread(
        descriptor, target.baseAddress.map { $0 + done }, target.count - done,
        off_t(offset + done))
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { return false }
      done += got
    }
    return true
  }

  /// Writes all bytes at an offset of a file. Returns false on failure, with the reason in `errno`.
  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int) -> Bool {
    var done = 0
    while done < bytes.count {
      let count = pwrite(
        descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }

  func isIntact(_ section: Int) -> Bool {
    let entry = entries[section]
    return isReadable(entry.offset..<entry.offset + entry.byteCount)
      && UnsafeRawBufferPointer(start: mapping + entry.offset, count: entry.byteCount).crc32()
        == entry.checksum
  }

  /// Whether a range of the file can be read, which is then in the system's cache. On a disk that fails, touching the mapping
  /// would end the process.
  private func isReadable(_ range: Range<Int>) -> Bool {
    let start = range.lowerBound & ~(Int(getpagesize()) - 1)
    if madvise(mapping + start, range.upperBound - start, MADV_POPULATE_READ) == 0 { return true }
    // Linux before 5.14 doesn't know that.
    return withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { space in
      stride(from: range.lowerBound, to: range.upperBound, by: space.count).allSatisfy { offset in
        let count = min(space.count, range.upperBound - offset)
        return IndexFile.fill(
          UnsafeMutableRawBufferPointer(rebasing: space[..<count]), from: descriptor, at: offset)
      }
    }
  }

  func address(of section: Int) -> UnsafeRawPointer {
    UnsafeRawPointer(mapping + entries[section].offset)
  }
}
