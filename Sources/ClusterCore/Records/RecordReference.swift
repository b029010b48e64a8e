/// The location of a record in a ``RecordArena``: a chunk and an 8-byte unit within it.
public struct RecordReference: Hashable, Sendable, BitwiseCopyable {
  let raw: UInt32
}
