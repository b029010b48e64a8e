/// Where a record lies in a ``RecordArena``: a chunk and an 8-byte unit in it.
public struct RecordReference: Hashable, Sendable, BitwiseCopyable {
  let raw: UInt32
}
