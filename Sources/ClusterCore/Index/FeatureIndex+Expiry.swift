extension FeatureIndex {
  /// Returns the ids of the features that have expired at a time in milliseconds since 1970.
  /// O(blocks), plus the size of the blocks with expired features.
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
