import CHints

extension FeatureIndex {
  /// Reads an index that ``encode(to:)`` has written; nil if the source can't be read or isn't an index.
  ///
  /// - Throws: ``RecordArena/Full`` if there is no memory for the changed features.
  /// - Complexity: O(n), on all processors.
  public static func decode(_ source: some IndexFileSource) -> FeatureIndex? {
    IndexFileDecoder(source)?.decode()
  }

  /// Writes this index to a sink, so that it can be made again.
  ///
  /// - Throws: the error of the sink.
  /// - Complexity: O(n); takes 4 bytes a feature while it runs.
  public func encode(to sink: IndexFileSection.Sink) throws {
    var encoder = IndexFileEncoder()
    let ahead = 8
    for block in blocks {
      let references = block.references.pointer
      for offset in 0..<block.count {
        // Records lie all over the memory, so they are prefetched.
        let next = records[references[min(offset &+ ahead, block.count &- 1)]].base
        chints_prefetch(next)
        chints_prefetch(next + 64)
        try encoder.append(records[references[offset]], to: sink)
      }
    }
    let order = orderOfIDs
    try encoder.finish(order: UnsafeBufferPointer(start: order.pointer, count: count), to: sink)
  }

  /// By rank in the order of ids: the offset of the feature in index order, from 0.
  ///
  /// References are looked up in a table of one part of the arena at a time, and all references are passed
  /// once for each part. That takes neither a table of the whole arena nor a sort.
  private var orderOfIDs: FixedArray<UInt32> {
    let order = WritableArray<UInt32>(count: count)
    let units = records.byteCount / 8
    let part = max(1 << 23, units / 16)
    let table = WritableArray<UInt32>(count: part)
    var start = 0
    while start < units {
      var number: UInt32 = 0
      for block in blocks {
        for offset in 0..<block.count {
          let unit = Int(block.references.pointer[offset].raw) &- start
          if UInt(bitPattern: unit) < UInt(bitPattern: part) { table.pointer[unit] = number }
          number &+= 1
        }
      }
      var rank = 0
      directory.forEach { reference in
        let unit = Int(reference.raw) &- start
        if UInt(bitPattern: unit) < UInt(bitPattern: part) {
          order.pointer[rank] = table.pointer[unit]
        }
        rank &+= 1
        return true
      }
      start += part
    }
    return order.fixed
  }
}
