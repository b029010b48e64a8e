import CHints

extension FeatureIndex {
  /// Reads an index back that ``encode(to:)`` has written; nil if it isn't whole, or isn't one: then
  /// nothing of it is to be trusted. O(n) without a sort, on all processors.
  public static func decode(_ source: some IndexFileSource) -> FeatureIndex? {
    decode(source, blockCapacity: PointIndex.maximumBlockCount)
  }

  /// As above, with at most some features a block.
  static func decode(_ source: some IndexFileSource, blockCapacity: Int) -> FeatureIndex? {
    IndexFileDecoder(source)?.decode(blockCapacity: blockCapacity)
  }
}

extension FeatureIndex {
  /// Hands all that it takes to make this index again to a sink. O(n); takes 4 bytes a feature for as
  /// long as it runs. Rethrows what the sink throws.
  public func encode(to sink: IndexFileSink) throws {
    var encoder = IndexFileEncoder()
    let ahead = 8
    for block in blocks {
      let references = block.references.pointer
      for offset in 0..<block.count {
        // Records come from all over the memory; ask for them in time.
        let next = records[references[min(offset &+ ahead, block.count &- 1)]].base
        chints_prefetch(next)
        chints_prefetch(next + 64)
        try encoder.append(records[references[offset]], to: sink)
      }
    }
    let order = orderOfIDs
    try encoder.finish(order: UnsafeBufferPointer(start: order.pointer, count: count), to: sink)
  }

  /// By rank in the order of ids, which feature it is in index order, from 0.
  ///
  /// A reference is looked up in a table of the part of the arena that it is in, and all references
  /// pass once for each part: neither a table of the whole arena nor a sort is needed.
  private var orderOfIDs: FixedArray<UInt32> {
    let order = FixedArray<UInt32>(uninitialized: count)
    let units = records.byteCount / 8
    let part = max(1 << 23, units / 16)
    let table = FixedArray<UInt32>(uninitialized: part)
    var start = 0
    while start < units {
      var number: UInt32 = 0
      for block in blocks {
        for offset in 0..<block.count {
          let place = Int(block.references.pointer[offset].raw) &- start
          if UInt(bitPattern: place) < UInt(bitPattern: part) { table.pointer[place] = number }
          number &+= 1
        }
      }
      var rank = 0
      directory.forEach { reference in
        let place = Int(reference.raw) &- start
        if UInt(bitPattern: place) < UInt(bitPattern: part) {
          order.pointer[rank] = table.pointer[place]
        }
        rank &+= 1
        return true
      }
      start += part
    }
    return order
  }
}
