/// Raw access to an arena's records for hot loops, valid while a copy of the arena and its
/// ``RecordArena/table`` are kept alive.
struct RecordTable: BitwiseCopyable {
  let bases: UnsafePointer<UInt>

  @inline(__always)
  subscript(_ reference: RecordReference) -> FeatureRecord {
    RecordArena.record(reference, base: bases[RecordArena.entry(reference)])
  }
}
