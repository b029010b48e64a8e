internal import CCrypto
import ClusterCore

/// The hash of all that a row says of a feature, by this program and as SQL, for a comparison of both: the first eight bytes
/// of a SHA-256. It isn't MD5, which takes as long, as servers under FIPS refuse that.
struct FeatureHash {
  /// The hash of a row `f`, as an integer that may be negative. The sum with 0 makes -0 a 0. Texts have no U+0001 and U+0002.
  static let sql = """
    ('x' || encode(substr(sha256(
      float8send(f.longitude + 0) || float8send(f.latitude + 0) || int8send(f.number) || int8send(coalesce(f.expires, -1))
        || convert_to(f.name || chr(1 + f.written_as_text::int) || f.properties || chr(1), 'UTF8') || coalesce(f.further, '')
      ), 1, 8), 'hex'))::bit(64)::bigint
    """

  /// The bytes that are being hashed, whose memory is used again for the next.
  private var bytes: [UInt8] = []
  private var digest = [UInt8](repeating: 0, count: Int(CCRYPTO_SHA256_SIZE))

  /// The hash of a record. Throws without memory.
  mutating func hash(_ record: FeatureRecord) throws(StoreError) -> UInt64 {
    bytes.removeAll(keepingCapacity: true)
    bytes.bigEndian((record.coordinate.longitude + 0).bitPattern)
    bytes.bigEndian((record.coordinate.latitude + 0).bitPattern)
    switch record.rawID {
    case .integer(let number, let isText):
      bytes.bigEndian(number)
      bytes.bigEndian(record.expires ?? -1)
      bytes.append(isText ? 2 : 1)
    case .text(let name):
      // The largest number there is, as rows of texts have.
      bytes.bigEndian(Int64.max)
      bytes.bigEndian(record.expires ?? -1)
      bytes.append(contentsOf: name)
      bytes.append(2)
    }
    bytes.append(contentsOf: record.properties)
    bytes.append(1)
    for ordinate in record.furtherOrdinates { bytes.bigEndian(ordinate.bitPattern) }
    guard ccrypto_sha256(bytes, bytes.count, &digest) else {
      throw .io(reason: "there is no memory for a digest")
    }
    return digest[..<8].reduce(0) { $0 << 8 | UInt64($1) }
  }
}
