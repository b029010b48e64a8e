import ClusterCore

/// The layout of an index file: a head, the sections, and a table of the sections. Numbers are in the byte
/// order of the machine that wrote the file; a machine of another order doesn't read it.
///
/// The file is a cache of the database: if anything is wrong with it, it isn't used.
enum IndexFileLayout {
  /// The contents of a file.
  struct Identity: Equatable, BitwiseCopyable {
    var storeID: UInt64
    /// The collection's key.
    var key: Int64
    /// A random number, by which the database names the file.
    var nonce: Int64

    init(storeID: UInt64, _ file: IndexFileName) {
      (self.storeID, key, nonce) = (storeID, file.key, file.nonce)
    }
  }

  /// The head as it lies in the file, 72 bytes without gaps.
  private struct Head: BitwiseCopyable {
    /// "PinIndex" in ASCII.
    var magic: UInt64 = 0x7865_646E_496E_6950
    /// Changes with the layout of the file and with that of a ``FeatureRecord``.
    var version: UInt32 = 1
    var byteOrder: UInt32 = 0x0102_0304
    var identity: Identity
    /// The number of sections.
    var count: UInt64
    /// The offset of the table.
    var offset: UInt64
    var fileSize: UInt64
    /// The CRC-32 of the table.
    var tableChecksum: UInt32
    /// The CRC-32 of the head before this.
    var checksum: UInt32 = 0
  }

  /// An entry of the table as it lies in the file, 32 bytes without gaps: a section, its CRC-32 and its offset
  /// in the file.
  struct Entry: BitwiseCopyable {
    private var kind: UInt32
    private(set) var checksum: UInt32
    private(set) var offset: Int
    private(set) var byteCount: Int
    private var featureCount: Int

    init(_ section: IndexFileSection, offset: Int, checksum: UInt32) {
      kind = section.kind.rawValue
      (byteCount, featureCount) = (section.byteCount, section.featureCount)
      (self.offset, self.checksum) = (offset, checksum)
    }

    /// The section; nil if it is of no known kind.
    var section: IndexFileSection? {
      IndexFileSection.Kind(rawValue: kind).map {
        IndexFileSection(kind: $0, byteCount: byteCount, featureCount: featureCount)
      }
    }
  }

  /// Where the first section begins.
  static let sectionsOffset = 4096
  static let headSize = MemoryLayout<Head>.size
  static let entrySize = MemoryLayout<Entry>.size

  /// The head of a file with a table at its end.
  static func head(_ identity: Identity, _ table: [Entry], offset: Int) -> [UInt8] {
    var head = Head(
      identity: identity, count: UInt64(table.count), offset: UInt64(offset),
      fileSize: UInt64(offset + table.count * entrySize),
      tableChecksum: table.withUnsafeBytes { $0.crc32() })
    head.checksum = checksum(of: head)
    return withUnsafeBytes(of: head) { Array($0) }
  }

  private static func checksum(of head: Head) -> UInt32 {
    withUnsafeBytes(of: head) { UnsafeRawBufferPointer(rebasing: $0.dropLast(4)).crc32() }
  }

  /// Finds the table by the head of a file; nil if it isn't the file with the identity.
  static func table(
    head: [UInt8], of identity: Identity, fileSize: Int
  ) -> (count: Int, offset: Int, checksum: UInt32)? {
    let head = head.withUnsafeBytes { $0.loadUnaligned(as: Head.self) }
    let known = Head(identity: identity, count: 0, offset: 0, fileSize: 0, tableChecksum: 0)
    guard head.magic == known.magic, head.version == known.version,
      head.byteOrder == known.byteOrder, head.checksum == checksum(of: head),
      head.identity == identity, head.fileSize == UInt64(fileSize),
      let offset = Int(exactly: head.offset), offset >= sectionsOffset, offset <= fileSize,
      (fileSize - offset) % entrySize == 0, head.count == (fileSize - offset) / entrySize
    else { return nil }
    return (Int(head.count), offset, head.tableChecksum)
  }

  /// The sections of a table; nil if they don't fill the file between the head and the table.
  static func sections(_ table: [Entry], upTo end: Int) -> [IndexFileSection]? {
    var next = sectionsOffset
    var sections: [IndexFileSection] = []
    for entry in table {
      guard let section = entry.section, entry.offset == next,
        (0...end - next).contains(entry.byteCount)
      else { return nil }
      next += entry.byteCount
      sections.append(section)
    }
    return next == end ? sections : nil
  }
}
