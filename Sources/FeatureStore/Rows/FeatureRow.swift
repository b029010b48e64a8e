import ClusterCore

/// A row of `features`. Its bytes are borrowed.
struct FeatureRow {
  var id: FeatureRecord.RawID
  /// A position in the form of ``PositionCoder``.
  var position: UnsafeRawBufferPointer
  var properties: UnsafeRawBufferPointer
  var expires: Int64?

  /// The CRC-32 of the row's values and its collection's key, by which a flipped bit is found when the row is
  /// read.
  func checksum(in key: Int64) -> Int64 {
    var flags: Int64 = expires == nil ? 0 : 4
    var integer: Int64 = 0
    var text = UnsafeRawBufferPointer(start: nil, count: 0)
    switch id {
    case .integer(let value, let writtenAsText):
      integer = value
      if writtenAsText { flags |= 1 }
    case .text(let bytes):
      text = bytes
      flags |= 2
    }
    // The lengths keep the parts apart.
    let head = (
      key.littleEndian, flags.littleEndian, integer.littleEndian, (expires ?? 0).littleEndian,
      Int64(text.count).littleEndian, Int64(position.count).littleEndian,
      Int64(properties.count).littleEndian
    )
    let start = withUnsafeBytes(of: head) { $0.crc32() }
    return Int64(
      properties.crc32(after: position.crc32(after: text.crc32(after: start))))
  }
}

extension FeatureRow {
  /// The row of a record, under an id that need not be the record's. It is valid until the coder is used again.
  init(_ record: FeatureRecord, id: FeatureRecord.RawID, _ coder: PositionCoder) {
    self.init(
      id: id, position: coder.encode(record), properties: record.properties,
      expires: record.expires)
  }
}
