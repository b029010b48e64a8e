import ClusterCore

/// The hash of all that a row says of a feature, by this program and as SQL, for a comparison of both.
enum FeatureHash {
  /// The hash of a row `f`, as an integer that may be negative.
  static let sql = """
    hashtextextended(f.properties COLLATE "C", hashfloat8extended(f.longitude, 1 # hashfloat8extended(f.latitude,
      hashtextextended(coalesce(encode(f.further, 'hex'), '') COLLATE "C",
        (coalesce(f.expires, -1) * 2 + f.written_as_text::int) # hashtextextended(f.name COLLATE "C", f.number)))))
    """

  /// The largest number that a row has, which is that of texts.
  private static let ofTexts = UInt64(Int64.max)
  private static let digits = Array("0123456789abcdef".utf8)
  private static var empty: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  /// The hash of a record.
  static func hash(_ record: FeatureRecord) -> UInt64 {
    var state: UInt64
    var isText: Int64 = 1
    switch record.rawID {
    case .integer(let number, let writtenAsText):
      state = PostgresHash.hash(empty, seed: UInt64(bitPattern: number))
      isText = writtenAsText ? 1 : 0
    case .text(let name): state = PostgresHash.hash(name, seed: FeatureHash.ofTexts)
    }
    state ^= UInt64(bitPattern: (record.expires ?? -1) &* 2 &+ isText)
    let further = record.furtherOrdinates
    if further.isEmpty {
      state = PostgresHash.hash(empty, seed: state)
    } else {
      var text: [UInt8] = []
      for ordinate in further {
        withUnsafeBytes(of: ordinate.bitPattern.bigEndian) { bytes in
          for byte in bytes {
            text.append(FeatureHash.digits[Int(byte >> 4)])
            text.append(FeatureHash.digits[Int(byte & 15)])
          }
        }
      }
      state = text.withUnsafeBytes { PostgresHash.hash($0, seed: state) }
    }
    state = 1 ^ PostgresHash.hash(record.coordinate.latitude, seed: state)
    state = PostgresHash.hash(record.coordinate.longitude, seed: state)
    return PostgresHash.hash(record.properties, seed: state)
  }
}
