/// The records of an arena for loops that read them; valid while a copy of it and ``RecordArena/table``
/// are kept alive.
struct RecordTable: BitwiseCopyable {
  let bases: UnsafePointer<UInt>

  @inline(__always)
  subscript(_ reference: RecordReference) -> FeatureRecord {
    RecordArena.record(reference, base: bases[RecordArena.entry(reference)])
  }
}
