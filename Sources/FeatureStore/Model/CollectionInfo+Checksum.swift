extension CollectionInfo {
  /// The CRC-32 of its row, by which a flipped bit is found.
  var checksum: Int64 {
    var bytes: [UInt8] = []
    for number in [
      key, version, largestInteger, Int64(featureCount), ttl ?? 0, hasChecksums ? 1 : 0,
    ] {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
    // A byte that UTF-8 doesn't have separates the texts, and tells a missing one from an empty one.
    // Rows that were written before there were times, and those without any, have the same checksum.
    let times = temporal.map { [$0.columns.start, $0.columns.end] } ?? []
    for text in [id, title, description] + times {
      bytes.append(text == nil ? 0xFE : 0xFF)
      bytes.append(contentsOf: (text ?? "").utf8)
    }
    return Int64(bytes.withUnsafeBytes { $0.crc32() })
  }
}
