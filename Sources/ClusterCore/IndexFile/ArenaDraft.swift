/// The chunks of an arena for the records of an index file, which stay where the file is mapped.
struct ArenaDraft: Sendable {
  private var bases: [UInt] = []
  /// By section: the index of its first chunk in `bases`.
  private var entries: [UInt32] = []
  private var byteCount = 0

  /// Lays out the first sections of a source, which hold records. Nil if they don't fit into an arena.
  init?(_ sections: ArraySlice<IndexFileSection>, of source: some IndexFileSource) {
    for (number, section) in sections.enumerated() {
      let address = UInt(bitPattern: source.address(of: number))
      guard address % 8 == 0 else { return nil }
      entries.append(UInt32(bases.count))
      let chunks = (section.byteCount + RecordArena.chunkBytes - 1) / RecordArena.chunkBytes
      guard bases.count + chunks <= RecordArena.maximumChunks else { return nil }
      for chunk in 0..<chunks { bases.append(address + UInt(chunk * RecordArena.chunkBytes)) }
      byteCount += section.byteCount
    }
  }

  /// The reference of the first record of a section.
  func reference(of section: Int) -> UInt32 { entries[section] << RecordArena.unitBits }

  /// The arena of those chunks.
  func records(of source: some IndexFileSource) -> RecordArena {
    RecordArena(owner: source, bases: bases, liveBytes: byteCount)
  }
}
