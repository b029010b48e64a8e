extension FeatureIndex {
  /// The ids of the features that have expired by a time in milliseconds since 1970. O(blocks), and
  /// the features of those where one has.
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
