import ClusterCore

/// Reads the columns of ``PostgresQueries/featureColumns`` and checks what building a ``FeatureBatch`` relies on.
/// Checks that take longer are left to a ``RowChecker``.
struct PostgresRow {
  /// The columns, each nil for NULL.
  private let values: [UnsafeRawBufferPointer?]
  private let address: PostgresAddress

  static let columnCount = 9

  init(_ row: PostgresResult.Row, of address: PostgresAddress) {
    values = (0..<Int32(PostgresRow.columnCount)).map { row.bytes($0) }
    self.address = address
  }

  /// Takes a row of a binary copy apart; nil where it is the head or the end of one and no row.
  /// https://www.postgresql.org/docs/15/sql-copy.html#id-1.9.3.55.9.4
  init?(copied bytes: UnsafeRawBufferPointer, of address: PostgresAddress) throws(StoreError) {
    var offset = 0
    if bytes.count >= 19, bytes.starts(with: PostgresRow.signature) {
      let extensionLength = Int(
        Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: 15, as: Int32.self)))
      guard extensionLength >= 0, extensionLength <= bytes.count - 19 else {
        throw PostgresRow.damage("form", address)
      }
      offset = 19 + extensionLength
      if offset == bytes.count { return nil }
    }
    guard bytes.count - offset >= 2 else { throw PostgresRow.damage("form", address) }
    let count = Int16(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self))
    if count == -1 { return nil }
    guard count == PostgresRow.columnCount else { throw PostgresRow.damage("form", address) }
    offset += 2
    var values: [UnsafeRawBufferPointer?] = []
    values.reserveCapacity(PostgresRow.columnCount)
    for _ in 0..<PostgresRow.columnCount {
      guard bytes.count - offset >= 4 else { throw PostgresRow.damage("form", address) }
      let length = Int(
        Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
      offset += 4
      guard length >= 0 else {
        values.append(nil)
        continue
      }
      guard length <= bytes.count - offset else { throw PostgresRow.damage("form", address) }
      values.append(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length]))
      offset += length
    }
    (self.values, self.address) = (values, address)
  }

  private static let signature = Array(
    "PGCOPY\n\u{FF}\r\n\0".unicodeScalars.map { UInt8($0.value) })

  /// The feature's id.
  func id() throws(StoreError) -> FeatureID {
    guard let number = values[0].flatMap(Int64.init(bigEndianBytes:)), let name = values[1] else {
      throw damage("id")
    }
    guard !name.isEmpty else {
      let asText = values[2].map { $0.first == 1 } ?? false
      guard let id = try? FeatureID(integer: number, isWrittenAsText: asText) else {
        throw damage("id")
      }
      return id
    }
    guard number == .max, name.isUTF8, let id = try? FeatureID(text: name), case .text = id.key
    else {
      throw damage("id")
    }
    return id
  }

  /// Whether there is a feature with the id.
  var isThere: Bool { values[2] != nil }

  /// Appends the feature, which may have expired, to rows that are still to be checked.
  func append(to target: inout ReadRows) throws(StoreError) {
    let id = try id()
    guard let longitude = double(3), let latitude = double(4), latitude.magnitude <= 90,
      longitude.magnitude <= 180
    else { throw damage("position") }
    var further: [Double] = []
    if let bytes = values[5] {
      guard bytes.count % 8 == 0, bytes.count / 8 <= FeatureBatch.maximumFurtherOrdinates else {
        throw damage("position")
      }
      for offset in stride(from: 0, to: bytes.count, by: 8) {
        further.append(
          Double(
            bitPattern: UInt64(
              bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))))
      }
      guard further.allSatisfy(\.isFinite) else { throw damage("position") }
    }
    guard let properties = values[6], properties.count > 1, properties.first == UInt8(ascii: "{"),
      properties.last == UInt8(ascii: "}")
    else { throw damage("properties") }
    let expires = values[7].flatMap(Int64.init(bigEndianBytes:))
    guard expires.map(FeatureRecord.expiryRange.contains) ?? (values[7] == nil) else {
      throw damage("expiry")
    }
    let checksum = values[8].flatMap(Int64.init(bigEndianBytes:))
    let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    target.living.checksums.append(checksum)
    further.withUnsafeBufferPointer { further in
      target.living.batch.append(
        id: id, coordinate: coordinate, further: further, properties: properties, expires: expires)
    }
  }

  private func double(_ column: Int) -> Double? {
    values[column].flatMap(Int64.init(bigEndianBytes:)).map {
      Double(bitPattern: UInt64(bitPattern: $0))
    }
  }

  private func damage(_ column: String) -> StoreError { PostgresRow.damage(column, address) }

  private static func damage(_ column: String, _ address: PostgresAddress) -> StoreError {
    .damaged(path: address.name, reason: "a feature has an invalid \(column)")
  }
}
