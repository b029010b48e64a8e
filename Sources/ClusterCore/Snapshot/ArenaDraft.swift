/// The memory of an arena whose records are yet to be put there: sections of records as chunks.
struct ArenaDraft: Sendable {
  /// Chunks that share memory, so that it can lie on huge pages.
  private static let slabChunks = 64

  private var slabs: [LargeMemory] = []
  private var bases: [UInt] = []
  /// By section: the number of its first chunk.
  private var entries: [Int] = []
  private let lastBytes: Int
  private let byteCount: Int

  /// Room for sections of some sizes in bytes; nil if an arena can't hold as much.
  init?(_ sizes: [Int]) {
    let chunkBytes = RecordArena.chunkBytes
    var (slab, total, all) = (0, 0, 0)
    /// Chunks that wait for memory.
    var runs: [Int] = []
    for size in sizes {
      let chunks = (size + chunkBytes - 1) / chunkBytes
      entries.append(total)
      total += chunks
      all += size
      guard total <= RecordArena.maximumChunks else { return nil }
      slab += chunks
      if slab >= ArenaDraft.slabChunks {
        runs.append(slab)
        slab = 0
      }
    }
    if slab > 0 { runs.append(slab) }
    for run in runs {
      let memory = LargeMemory(byteCount: run * chunkBytes)
      slabs.append(memory)
      for chunk in 0..<run { bases.append(UInt(bitPattern: memory.start + chunk * chunkBytes)) }
    }
    let last = sizes.last ?? chunkBytes
    lastBytes = min(last, chunkBytes)
    byteCount = all
  }

  /// Where a section lies.
  func base(of section: Int) -> UnsafeMutableRawPointer? {
    UnsafeMutableRawPointer(bitPattern: bases[entries[section]])
  }

  /// The reference of its first record.
  func reference(of section: Int) -> UInt32 {
    UInt32(entries[section]) << RecordArena.unitBits
  }

  /// The arena, once all is there.
  var records: RecordArena {
    RecordArena(slabs: slabs, bases: bases, used: lastBytes, liveBytes: byteCount)
  }
}
