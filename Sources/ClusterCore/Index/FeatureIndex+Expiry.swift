extension FeatureIndex {
  /// The earliest expiry of all features, in milliseconds since 1970 (UTC); nil if none expires.
  /// O(n).
  public var nextExpiry: Int64? {
    var earliest: Int64?
    for place in 0..<count {
      guard let expires = record(at: place).expires else { continue }
      earliest = min(earliest ?? expires, expires)
    }
    return earliest
  }

  /// The features that are no more at a time, in milliseconds since 1970 (UTC). O(n).
  public func expired(at now: Int64) -> [FeatureID] {
    (0..<count).compactMap { place in
      let record = record(at: place)
      return record.hasExpired(at: now) ? record.id : nil
    }
  }
}
