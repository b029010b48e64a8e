/// The records of one collection, packed into chunks outside of the Swift heap, so that a feature
/// costs its bytes and nothing else.
///
/// It only grows: a replaced record's bytes are counted as dead, and a new arena is made of the
/// living ones when they are too many (``isWorthCompacting``). One writer appends; readers hold
/// copies of the value, made before they were published, and never look past what those refer to.
public struct RecordArena: Sendable {
  private final class Chunk: @unchecked Sendable {
    // Written by the arena's one writer, past every record that a reader knows of; never moved.
    let base: UnsafeMutableRawPointer
    init(byteCount: Int) { base = .allocate(byteCount: byteCount, alignment: 16) }
    deinit { base.deallocate() }
  }

  /// The memory could not hold more records: 32 GiB are used.
  public struct Full: Error {}

  static let chunkBytes = 1 << 20
  static let unitBits: UInt32 = 17  // 2^17 units of 8 bytes are a chunk
  static let maximumChunks = 1 << (32 - Int(unitBits))

  private var chunks: [Chunk] = []
  // Keeps chunks that were filled elsewhere.
  private var owner: (any AnyObject & Sendable)?
  // Indexed by a reference's upper bits; a record larger than a chunk takes several entries.
  private var bases: [UInt] = []
  private var used = chunkBytes

  /// Bytes of records that are still referred to.
  public private(set) var liveBytes = 0
  /// Bytes of records that were replaced or removed.
  public private(set) var deadBytes = 0

  /// An empty arena.
  public init() {}

  /// An arena of chunks that were filled elsewhere, with nothing but living records, and lie at some
  /// addresses for as long as their owner lives. They are only read.
  init(owner: any AnyObject & Sendable, bases: [UInt], liveBytes: Int) {
    self.owner = owner
    self.bases = bases
    self.liveBytes = liveBytes
  }

  /// The memory it has taken, in bytes.
  public var byteCount: Int { bases.count * RecordArena.chunkBytes }

  /// Whether dead records take more than half of a size that matters.
  public var isWorthCompacting: Bool { deadBytes > max(liveBytes, 16 << 20) }

  /// Copies a record in.
  public mutating func append(_ record: FeatureRecord) throws(Full) -> RecordReference {
    let size = record.size
    if used + size > RecordArena.chunkBytes { try addChunk(holding: size) }
    let base = bases[bases.count - 1]
    // A record larger than a chunk has its entries to itself and begins at the first of them.
    let entry = size > RecordArena.chunkBytes ? bases.count - entries(for: size) : bases.count - 1
    let offset = size > RecordArena.chunkBytes ? 0 : used
    let address = size > RecordArena.chunkBytes ? bases[entry] : base + UInt(offset)
    UnsafeMutableRawPointer(bitPattern: address)?.copyMemory(from: record.base, byteCount: size)
    used = size > RecordArena.chunkBytes ? RecordArena.chunkBytes : used + size
    liveBytes += size
    return RecordReference(raw: UInt32(entry) << RecordArena.unitBits | UInt32(offset >> 3))
  }

  /// A copy of what references are looked up by; see ``RecordTable``.
  var table: FixedArray<UInt> {
    let copy = FixedArray<UInt>(uninitialized: bases.count)
    for (entry, base) in bases.enumerated() { copy.pointer[entry] = base }
    return copy
  }

  private func entries(for size: Int) -> Int {
    (size + RecordArena.chunkBytes - 1) / RecordArena.chunkBytes
  }

  private mutating func addChunk(holding size: Int) throws(Full) {
    let count = max(1, entries(for: size))
    guard bases.count + count <= RecordArena.maximumChunks else { throw Full() }
    let chunk = Chunk(byteCount: count * RecordArena.chunkBytes)
    chunks.append(chunk)
    for entry in 0..<count {
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

  /// The record at a reference that this arena, or one it was copied from, gave out. The view is
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
