internal import Texts

/// A point in well-known binary (ISO 19125, and PostGIS's extended form with a reference system).
enum WKBPoint {
  /// The longest text that is looked at: a point has at most 41 bytes.
  private static let mostDigits = 2 * 41 + 2
  private static let shapes = [
    1: "POINT", 2: "LINESTRING", 3: "POLYGON", 4: "MULTIPOINT", 5: "MULTILINESTRING",
    6: "MULTIPOLYGON", 7: "GEOMETRYCOLLECTION",
  ]

  /// The bytes that hexadecimal digits stand for, as far as a point may go; nil for another text.
  static func bytes(hexadecimal text: UnsafeRawBufferPointer) -> [UInt8]? {
    var digits = text[...]
    if digits.starts(with: "\\x".utf8) || digits.starts(with: "0x".utf8) {
      digits = digits.dropFirst(2)
    }
    guard digits.count >= 18, digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    var half: UInt8?
    for byte in digits.prefix(mostDigits) {
      guard let digit = byte.hexadecimalValue else { return nil }
      if let high = half {
        bytes.append(high << 4 | digit)
        half = nil
      } else {
        half = digit
      }
    }
    // The byte order.
    return bytes.first.flatMap { $0 <= 1 ? bytes : nil }
  }

  /// Reads a point.
  static func point(
    _ bytes: [UInt8], _ texts: PointText
  ) throws(FeatureRefusal) -> PointText.Point {
    let isLittle = bytes.first == 1
    var rest = bytes.dropFirst()
    func take(_ count: Int) -> UInt64? {
      guard rest.count >= count else { return nil }
      let part = rest.prefix(count)
      rest = rest.dropFirst(count)
      let ordered = isLittle ? Array(part.reversed()) : Array(part)
      return ordered.reduce(0) { $0 << 8 | UInt64($1) }
    }
    let cut = FeatureRefusal("is no whole point in WKB")
    guard let type = take(4) else { throw cut }
    let shape = Int(type & 0x0FFF_FFFF) % 1000
    let dimensions = Int(type & 0x0FFF_FFFF) / 1000
    guard let name = shapes[shape], dimensions <= 3 else {
      throw FeatureRefusal("is no WKB that is known here")
    }
    guard shape == 1 else { throw texts.refusal(of: name) }
    if type & 0x2000_0000 != 0 {
      guard let srid = take(4) else { throw cut }
      try texts.check(srid: Int(srid))
    }
    let hasAltitude = type & 0x8000_0000 != 0 || dimensions == 1 || dimensions == 3
    let hasMeasure = type & 0x4000_0000 != 0 || dimensions >= 2
    var numbers: [Double] = []
    for _ in 0..<(2 + (hasAltitude ? 1 : 0) + (hasMeasure ? 1 : 0)) {
      guard let bits = take(8) else { throw cut }
      numbers.append(Double(bitPattern: bits))
    }
    guard rest.isEmpty else { throw cut }
    guard numbers.prefix(hasAltitude ? 3 : 2).allSatisfy(\.isFinite) else {
      throw FeatureRefusal("is an empty point")
    }
    return PointText.Point(
      longitude: numbers[0], latitude: numbers[1], altitude: hasAltitude ? numbers[2] : nil)
  }
}
