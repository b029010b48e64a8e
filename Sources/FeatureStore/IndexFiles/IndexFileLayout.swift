import CDeflate
import ClusterCore

/// The layout of an index file: a head, the sections, and a table of the sections. Numbers are in the byte
/// order of the machine that wrote the file; a machine of another order doesn't read it.
///
/// The file is a cache of the database: if anything is wrong with it, it isn't used.
enum IndexFileLayout {
  /// "PinIndex" in ASCII.
  static let magic: UInt64 = 0x7865_646E_496E_6950
  /// Changes with the layout of the file and with that of a ``FeatureRecord``.
  static let version: UInt32 = 1
  static let byteOrder: UInt32 = 0x0102_0304
  /// Where the first section begins.
  static let headSize = 4096
  static let entrySize = 32

  /// The contents of a file.
  struct Identity: Equatable {
    var storeID: UInt64
    /// The collection's key.
    var key: Int64
    /// A random number, by which the database names the file.
    var nonce: Int64
  }

  /// An entry of the table: a section, its offset in the file and its CRC-32.
  struct Entry {
    var section: IndexFileSection
    var offset: Int
    var checksum: UInt32
  }

  static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    bytes.isEmpty ? 0 : libdeflate_crc32(0, bytes.baseAddress, bytes.count)
  }

  /// The head of a file with a table of sections at its end.
  static func head(_ identity: Identity, table: [UInt8], count: Int, offset: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.put(magic)
    bytes.put(version)
    bytes.put(byteOrder)
    bytes.put(identity.storeID)
    bytes.put(identity.key)
    bytes.put(identity.nonce)
    bytes.put(UInt64(count))
    bytes.put(UInt64(offset))
    bytes.put(UInt64(offset + table.count))
    bytes.put(table.withUnsafeBytes(checksum))
    let own = bytes.withUnsafeBytes(checksum)
    bytes.put(own)
    return bytes
  }

  static func table(_ entries: [Entry]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(entries.count * entrySize)
    for entry in entries {
      bytes.put(entry.section.kind.rawValue)
      bytes.put(entry.checksum)
      bytes.put(UInt64(entry.offset))
      bytes.put(UInt64(entry.section.byteCount))
      bytes.put(UInt64(entry.section.featureCount))
    }
    return bytes
  }

  /// Finds the table by the head of a file; nil if it isn't the file with the identity.
  static func table(
    head: [UInt8], of identity: Identity, fileSize: Int
  ) -> (count: Int, offset: Int, checksum: UInt32)? {
    head.withUnsafeBytes { bytes in
      guard bytes.count >= 72 else { return nil }
      func number<T: FixedWidthInteger>(_ offset: Int) -> T {
        bytes.loadUnaligned(fromByteOffset: offset, as: T.self)
      }
      guard number(0) == magic, number(8) == version, number(12) == byteOrder,
        number(68) == checksum(UnsafeRawBufferPointer(rebasing: bytes[..<68])),
        identity == Identity(storeID: number(16), key: number(24), nonce: number(32)),
        let count = Int(exactly: number(40) as UInt64),
        let offset = Int(exactly: number(48) as UInt64),
        number(56) as UInt64 == UInt64(fileSize), offset >= headSize, offset <= fileSize,
        (fileSize - offset) % entrySize == 0, count == (fileSize - offset) / entrySize
      else { return nil }
      return (count, offset, number(64))
    }
  }

  /// Reads the table; nil if the sections don't fill the file between the head and the table.
  static func entries(_ table: [UInt8], upTo end: Int) -> [Entry]? {
    var entries: [Entry] = []
    var next = headSize
    for start in stride(from: 0, to: table.count, by: entrySize) {
      let entry = table.withUnsafeBytes { bytes -> Entry? in
        func number(_ offset: Int) -> Int? {
          Int(exactly: bytes.loadUnaligned(fromByteOffset: start + offset, as: UInt64.self))
        }
        let kind = bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self)
        guard let kind = IndexFileSection.Kind(rawValue: kind), let offset = number(8),
          let size = number(16), let count = number(24), offset == next, size <= end - next
        else { return nil }
        return Entry(
          section: IndexFileSection(kind: kind, byteCount: size, featureCount: count),
          offset: offset,
          checksum: bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self))
      }
      guard let entry else { return nil }
      next += entry.section.byteCount
      entries.append(entry)
    }
    return next == end ? entries : nil
  }
}

extension [UInt8] {
  fileprivate mutating func put<T: FixedWidthInteger>(_ value: T) {
    Swift.withUnsafeBytes(of: value) { append(contentsOf: $0) }
  }
}
