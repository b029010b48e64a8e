extension FeatureIndex {
  /// The ids of the features that have expired by a time in milliseconds since 1970. O(blocks), and
  /// the features of those where one has.
  public func expired(at now: Int64) -> [FeatureID] {
    var ids: [FeatureID] = []
    for block in blocks where block.nextExpiry <= now {
      guard let expires = block.expires else { continue }
      for offset in 0..<block.count where expires.pointer[offset] <= now {
        ids.append(records[block.references.pointer[offset]].id)
      }
    }
    return ids
  }
}
