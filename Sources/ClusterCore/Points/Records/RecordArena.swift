import Glibc
import Synchronization

/// The records of one collection, packed into chunks of memory so that a feature has no overhead.
///
/// An arena only grows. The bytes of replaced records are counted as dead, and when there are too
/// many (``isWorthCompacting``) the live records are copied to a new arena. Only one writer
/// appends. Readers hold earlier copies of the arena and never look past their records.
public struct RecordArena: Sendable {
  // `@unchecked Sendable`: the arena's only writer writes past all records that readers know of,
  // and the memory never moves.
  private final class Chunk: @unchecked Sendable {
    let base: UnsafeMutableRawPointer

    /// Returns nil if there is no memory.
    init?(byteCount: Int) {
      guard let memory = malloc(byteCount) else { return nil }
      base = memory
    }

    deinit { free(base) }
  }

  /// The error that an arena has reached its maximum size of 32 GiB, or that there is no memory.
  public struct Full: Error {}

  static let chunkBytes = 1 << 20
  static let unitBits: UInt32 = 17  // 2^17 units of 8 bytes are a chunk
  static let maximumChunks = 1 << (32 - Int(unitBits))

  private var chunks: [Chunk] = []
  // Keeps chunks alive that were filled elsewhere.
  private var owner: (any AnyObject & Sendable)?
  // Addresses by the upper bits of a reference. A record larger than a chunk takes several entries.
  private var bases: [UInt] = []
  private var used = chunkBytes

  /// The size of the records that are still referred to, in bytes.
  public private(set) var liveBytes = 0
  /// The size of the records that were replaced or removed, in bytes.
  public private(set) var deadBytes = 0

  /// Tells apart arenas that weren't copied from each other.
  private let lineage = lineages.add(1, ordering: .relaxed).newValue
  private static let lineages = Atomic<UInt64>(0)

  /// Creates an empty arena.
  public init() {}

  /// Whether this arena has grown from another one, or the other from this, so that the references to what both
  /// hold are the same.
  func isOneGrowing(with other: RecordArena) -> Bool { lineage == other.lineage }

  /// Creates an arena of read-only chunks of live records at the addresses `bases`, which `owner`
  /// keeps alive.
  init(owner: any AnyObject & Sendable, bases: [UInt], liveBytes: Int) {
    self.owner = owner
    self.bases = bases
    self.liveBytes = liveBytes
  }

  /// The size of the arena in bytes.
  public var byteCount: Int { bases.count * RecordArena.chunkBytes }

  /// Whether more bytes are dead than live, and more than 16 MiB.
  public var isWorthCompacting: Bool { deadBytes > max(liveBytes, 16 << 20) }

  /// Appends a copy of a record.
  ///
  /// - Throws: ``Full`` if the arena has 32 GiB, or there is no memory.
  public mutating func append(_ record: FeatureRecord) throws(Full) -> RecordReference {
    let size = record.size
    let entries = (size + RecordArena.chunkBytes - 1) / RecordArena.chunkBytes
    if used + size > RecordArena.chunkBytes { try addChunk(entries) }
    // A record larger than a chunk begins at the first of its entries and shares none of them.
    let entry = bases.count - entries
    UnsafeMutableRawPointer(bitPattern: bases[entry] + UInt(used))?
      .copyMemory(from: record.base, byteCount: size)
    let reference = RecordReference(
      raw: UInt32(entry) << RecordArena.unitBits | UInt32(used >> 3))
    used = min(used + size, RecordArena.chunkBytes)
    liveBytes += size
    return reference
  }

  /// A copy of the addresses for ``RecordTable``.
  var table: FixedArray<UInt> {
    let copy = WritableArray<UInt>(count: bases.count)
    for (entry, base) in bases.enumerated() { copy.pointer[entry] = base }
    return copy.fixed
  }

  private mutating func addChunk(_ entries: Int) throws(Full) {
    guard bases.count + entries <= RecordArena.maximumChunks,
      let chunk = Chunk(byteCount: entries * RecordArena.chunkBytes)
    else { throw Full() }
    chunks.append(chunk)
    for entry in 0..<entries {
      bases.append(UInt(bitPattern: chunk.base) + UInt(entry * RecordArena.chunkBytes))
    }
    used = 0
  }

  /// Counts a record as dead.
  public mutating func release(_ reference: RecordReference) {
    let size = self[reference].size
    liveBytes -= size
    deadBytes += size
  }

  /// The record at a reference that this arena, or one that it was copied from, returned. It is
  /// valid while a copy of the arena lives.
  @inline(__always)
  public subscript(_ reference: RecordReference) -> FeatureRecord {
    RecordArena.record(reference, base: bases[RecordArena.entry(reference)])
  }

  @inline(__always)
  static func record(_ reference: RecordReference, base: UInt) -> FeatureRecord {
    let unit = UInt(reference.raw & (1 << RecordArena.unitBits - 1))
    guard let base = UnsafeRawPointer(bitPattern: base + unit * 8) else {
      preconditionFailure("a chunk is never at address zero")
    }
    return FeatureRecord(base: base)
  }

  @inline(__always)
  static func entry(_ reference: RecordReference) -> Int {
    Int(reference.raw >> RecordArena.unitBits)
  }
}

/// The location of a record in a ``RecordArena``: a chunk and an 8-byte unit within it.
public struct RecordReference: Hashable, Sendable, BitwiseCopyable {
  let raw: UInt32
}

/// Raw access to an arena's records for hot loops, valid while a copy of the arena and its
/// ``RecordArena/table`` are kept alive.
struct RecordTable: BitwiseCopyable {
  let bases: UnsafePointer<UInt>

  @inline(__always)
  subscript(_ reference: RecordReference) -> FeatureRecord {
    RecordArena.record(reference, base: bases[RecordArena.entry(reference)])
  }
}
