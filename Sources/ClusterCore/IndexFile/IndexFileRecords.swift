/// Reads records that lie one after the other in memory, and checks all that code which uses records
/// relies on, such as their lengths.
enum IndexFileRecords {
  /// The size of the smallest record in bytes: its head, an integer id and `{}`.
  static let smallestSize = (FeatureRecord.headerSize + 8 + 2 + 7) & ~7
  /// The length of the longest text of an id in bytes.
  private static let longestText = FeatureID.maximumCharacters * 4

  /// Reads records that fill some bytes, and checks that they are in index order.
  ///
  /// - Parameters:
  ///   - reference: the reference of the first record; references grow by one every 8 bytes.
  ///   - features: room for `count` features from `first` on.
  /// - Returns: whether the bytes are exactly `count` valid records.
  static func read(
    _ bytes: UnsafeRawBufferPointer, at reference: UInt32,
    into features: SortedFeatures, _ first: Int, count: Int
  ) -> Bool {
    guard let base = bytes.baseAddress else { return count == 0 }
    let positions = features.positions.pointer
    var batch = CoordinateBatch()
    var offset = 0
    // The record before the current one of those whose positions are known.
    var before: FeatureRecord?
    for start in stride(from: first, to: first + count, by: CoordinateBatch.capacity) {
      let group = start..<min(start + CoordinateBatch.capacity, first + count)
      let begin = offset
      for index in group {
        guard let record = record(base + offset, room: bytes.count - offset) else { return false }
        let own = RecordReference(raw: reference &+ UInt32(truncatingIfNeeded: offset >> 3))
        features.set(index, own, expires: record.flags & FeatureRecord.expiresFlag != 0)
        batch.append(record.coordinate)
        offset += record.size
      }
      batch.takePositions(positions + start)
      var record = FeatureRecord(base: base + begin)
      for index in group {
        if let before {
          guard follows(positions[index], record, (positions[index - 1], before)) else {
            return false
          }
        }
        before = record
        record = FeatureRecord(base: record.base + record.size)
      }
    }
    return offset == bytes.count
  }

  /// Whether a record comes after another in index order.
  @inline(__always)
  static func follows(
    _ position: Position, _ record: FeatureRecord,
    _ before: (position: Position, record: FeatureRecord)
  ) -> Bool {
    if position != before.position { return before.position < position }
    return FeatureRecord.compareIDs(before.record, record) < 0
  }

  /// The record at an address, if it is one and lies in so many bytes.
  @inline(__always)
  private static func record(_ base: UnsafeRawPointer, room: Int) -> FeatureRecord? {
    guard room >= smallestSize else { return nil }
    let record = FeatureRecord(base: base)
    let known = FeatureRecord.writtenAsTextFlag | FeatureRecord.expiresFlag
    guard record.flags & ~known == 0, record.textLength <= longestText,
      record.propertiesLength >= 2, record.size <= room
    else { return nil }
    // Comparisons are false for NaN.
    let coordinate = record.coordinate
    guard coordinate.latitude.magnitude <= 90, coordinate.longitude.magnitude <= 180 else {
      return nil
    }
    guard record.textLength > 0 || FeatureID.integerRange.contains(record.integerID) else {
      return nil
    }
    if let expires = record.expires, !FeatureRecord.expiryRange.contains(expires) { return nil }
    if record.furtherCount > 0, !record.furtherOrdinates.allSatisfy(\.isFinite) { return nil }
    let properties = record.properties
    guard properties[0] == UInt8(ascii: "{"),
      properties[properties.count - 1] == UInt8(ascii: "}")
    else { return nil }
    return record
  }
}
