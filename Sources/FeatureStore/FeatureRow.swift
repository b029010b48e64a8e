import CDeflate
import ClusterCore

/// What a row of `features` says; the bytes are borrowed.
struct FeatureRow {
  var id: FeatureRecord.RawID
  /// As ``PositionCoding`` lays it out.
  var position: UnsafeRawBufferPointer
  var properties: UnsafeRawBufferPointer
  var expires: Int64?

  /// The CRC-32 of all that the row says in the collection with a key, so that a bit that flipped
  /// inside of it is found when it is read.
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
    var checksum = withUnsafeBytes(of: head) { FeatureRow.crc32($0, after: 0) }
    checksum = FeatureRow.crc32(text, after: checksum)
    checksum = FeatureRow.crc32(position, after: checksum)
    return Int64(FeatureRow.crc32(properties, after: checksum))
  }

  private static func crc32(_ bytes: UnsafeRawBufferPointer, after start: UInt32) -> UInt32 {
    // Without bytes it would begin anew.
    bytes.isEmpty ? start : libdeflate_crc32(start, bytes.baseAddress, bytes.count)
  }
}
