extension FeatureBatch {
  /// Gives features without an expiry the default one, and clears the flag of those that are
  /// declared never to expire.
  ///
  /// - Parameter expires: milliseconds since 1970 (UTC), or nil for never.
  /// - Complexity: O(n) in bytes if anything changes.
  public mutating func applyDefaultExpiry(_ expires: Int64?) {
    let isApplied = (0..<count).allSatisfy { index in
      withRecord(at: index) { record in
        !record.neverExpires && (expires == nil || record.expires != nil)
      }
    }
    guard !isApplied else { return }
    self = changed { ($0.expires ?? ($0.neverExpires ? nil : expires), false) }
  }

  /// Replaces the expiry of every feature. See
  /// ``append(id:coordinate:further:properties:expires:neverExpires:)``.
  ///
  /// - Complexity: O(n) in bytes.
  public mutating func setExpiry(_ expires: Int64?, neverExpires: Bool) {
    self = changed { _ in (expires, neverExpires) }
  }

  /// The same features, of which those without an expiry declare that they never expire.
  ///
  /// - Complexity: O(n) in bytes.
  public func declaringNever() -> FeatureBatch { changed { ($0.expires, $0.expires == nil) } }

  /// Returns the same features with other expiries.
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
