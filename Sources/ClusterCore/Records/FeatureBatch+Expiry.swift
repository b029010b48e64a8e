extension FeatureBatch {
  /// Settles when each feature expires: those that don't say get the default, and those that said
  /// never become features that don't say. O(n) in bytes if anything changes.
  ///
  /// - Parameter expires: in milliseconds since 1970 (UTC); nil: never.
  public mutating func settleExpiry(default expires: Int64?) {
    let isSettled = (0..<count).allSatisfy { index in
      withRecord(at: index) { record in
        !record.neverExpires && (expires == nil || record.expires != nil)
      }
    }
    guard !isSettled else { return }
    self = changed { ($0.expires ?? ($0.neverExpires ? nil : expires), false) }
  }

  /// Says anew when every feature expires, as
  /// ``append(id:coordinate:further:properties:expires:neverExpires:)`` does. O(n) in bytes.
  public mutating func setExpiry(_ expires: Int64?, neverExpires: Bool) {
    self = changed { _ in (expires, neverExpires) }
  }

  /// The same features with other expiries.
  private func changed(_ expiry: (FeatureRecord) -> (Int64?, neverExpires: Bool)) -> FeatureBatch {
    var changed = FeatureBatch()
    changed.reserveCapacity(features: count, bytes: byteCount + count * 8)
    for index in 0..<count {
      withRecord(at: index) { record in
        let (expires, neverExpires) = expiry(record)
        changed.append(
          id: record.needsID ? nil : record.id, coordinate: record.coordinate,
          further: record.furtherOrdinates, properties: record.properties, expires: expires,
          neverExpires: neverExpires)
      }
    }
    return changed
  }
}
