extension FeatureIndex {
  /// Returns a new index with changes applied in order.
  ///
  /// A few changes copy the blocks that they affect: O(blocks + k) for k features. Many rebuild the
  /// index: O(n + k log k).
  ///
  /// - Throws: ``RecordArena/Full`` if there is no memory for the records.
  public func applying(_ changes: [FeatureChange]) throws(RecordArena.Full) -> ChangedIndex {
    let size = changes.reduce(0) { $0 + $1.count }
    guard count + size <= FeatureIndex.maximumCount else { throw RecordArena.Full() }
    var edit = IndexEdit(self)
    for change in changes {
      switch change {
      case .upsert(let batch): try edit.put(batch)
      case .remove(let ids): edit.remove(ids)
      }
    }
    return try edit.make()
  }

  /// Whether more than so many blocks have features that have expired at a time in milliseconds since 1970.
  ///
  /// - Complexity: O(blocks).
  public func hasExpired(at now: Int64, inMoreThan blocks: Int) -> Bool {
    var count = 0
    for expiry in expiries.buffer where expiry <= now {
      count += 1
      if count > blocks { return true }
    }
    return false
  }

  /// Returns the ids of the features that have expired at a time in milliseconds since 1970.
  ///
  /// - Complexity: O(blocks), plus the size of the blocks with expired features.
  public func expired(at now: Int64) -> [FeatureID] {
    var ids: [FeatureID] = []
    for number in 0..<blocks.count where expiries.pointer[number] <= now {
      let block = blocks[number]
      guard let expires = block.expires else { continue }
      for offset in 0..<block.count where expires.pointer[offset] <= now {
        ids.append(records[block.references.pointer[offset]].id)
      }
    }
    return ids
  }
}
