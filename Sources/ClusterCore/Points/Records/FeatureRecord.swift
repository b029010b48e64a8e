import Glibc

/// A feature's encoded bytes in memory, valid only while their owner lives: a ``FeatureBatch``
/// within `withRecord`, or a ``RecordArena`` or index that is kept alive.
///
/// The layout is 8-byte aligned and in host byte order. Index files contain records in this form.
/// ```
///  0  UInt32  length of the properties in bytes
///  4  UInt16  length of a text id in bytes, 0 for an integer id
///  6  UInt8   flags: 1 integer id was written as text, 2 id not assigned yet, 4 has an expiry,
///             8 declared never to expire
///  7  UInt8   number of ordinates after longitude and latitude
///  8  Double  longitude
/// 16  Double  latitude
/// 24  Int64 integer id, or the text id's bytes padded to a multiple of 8
///     Int64 expiry, if flagged
///     Double × n further ordinates (altitude first)
///     properties: the JSON object as sent, without insignificant white space
/// ```
public struct FeatureRecord {
  /// The start of the record, 8-byte aligned.
  public let base: UnsafeRawPointer

  static let headerSize = 24
  static let writtenAsTextFlag: UInt8 = 1
  static let unassignedFlag: UInt8 = 2
  static let expiresFlag: UInt8 = 4
  static let neverExpiresFlag: UInt8 = 8

  init(base: UnsafeRawPointer) { self.base = base }

  var propertiesLength: Int { Int(base.load(as: UInt32.self)) }
  var textLength: Int { Int(base.load(fromByteOffset: 4, as: UInt16.self)) }
  var flags: UInt8 { base.load(fromByteOffset: 6, as: UInt8.self) }
  var furtherCount: Int { Int(base.load(fromByteOffset: 7, as: UInt8.self)) }
  var idSize: Int { textLength == 0 ? 8 : (textLength + 7) & ~7 }

  var expirySize: Int { Int((flags & FeatureRecord.expiresFlag) * 2) }
  /// The offset of the ordinates after longitude and latitude.
  var furtherOffset: Int { FeatureRecord.headerSize + idSize + expirySize }

  /// The record's size in bytes, a multiple of 8.
  var size: Int { (furtherOffset + furtherCount * 8 + propertiesLength + 7) & ~7 }

  /// The coordinate, bit for bit as sent.
  public var coordinate: Coordinate {
    Coordinate(
      latitude: base.load(fromByteOffset: 16, as: Double.self),
      longitude: base.load(fromByteOffset: 8, as: Double.self))
  }

  /// Whether the feature came without an id and none has been assigned yet.
  public var needsID: Bool { flags & FeatureRecord.unassignedFlag != 0 }

  /// The integer id. Meaningless for a text id.
  var integerID: Int64 { base.load(fromByteOffset: FeatureRecord.headerSize, as: Int64.self) }

  /// The UTF-8 of a text id. Empty for an integer id.
  var textID: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + FeatureRecord.headerSize, count: textLength)
  }

  /// The feature's id. Allocates for text ids.
  public var id: FeatureID {
    let asText = flags & FeatureRecord.writtenAsTextFlag != 0
    guard textLength > 0 else {
      return FeatureID(trustedKey: .integer(integerID), isWrittenAsText: asText)
    }
    return FeatureID(trustedKey: .text(Array(textID)), isWrittenAsText: true)
  }

  /// Whether the id is a text, or an integer that was written as one.
  public var isIDText: Bool { textLength > 0 || flags & FeatureRecord.writtenAsTextFlag != 0 }

  /// The id in its stored form, obtained without an allocation.
  public var rawID: RawID {
    guard textLength > 0 else {
      return .integer(integerID, writtenAsText: flags & FeatureRecord.writtenAsTextFlag != 0)
    }
    return .text(textID)
  }

  /// The stored form of an id.
  public enum RawID {
    /// An integer id, and whether it was written as text.
    case integer(Int64, writtenAsText: Bool)
    /// A text id's UTF-8.
    case text(UnsafeRawBufferPointer)
  }

  /// The valid expiry times in milliseconds since 1970 (UTC): the years 0 to 9999, which date-times
  /// of RFC 3339 can express.
  public static let expiryRange: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

  /// The expiry in milliseconds since 1970 (UTC), or nil if the feature doesn't expire.
  public var expires: Int64? {
    guard flags & FeatureRecord.expiresFlag != 0 else { return nil }
    return base.load(fromByteOffset: FeatureRecord.headerSize + idSize, as: Int64.self)
  }

  /// Returns whether the feature has expired at a time in milliseconds since 1970 (UTC).
  public func hasExpired(at now: Int64) -> Bool { expires.map { $0 <= now } ?? false }

  /// Whether an incoming feature is declared never to expire, instead of stating no expiry.
  public var neverExpires: Bool { flags & FeatureRecord.neverExpiresFlag != 0 }

  /// The ordinates after longitude and latitude, altitude first.
  public var furtherOrdinates: UnsafeBufferPointer<Double> {
    let start = base + furtherOffset
    return UnsafeBufferPointer(
      start: start.assumingMemoryBound(to: Double.self), count: furtherCount)
  }

  /// The properties as a JSON object in UTF-8.
  public var properties: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + furtherOffset + furtherCount * 8, count: propertiesLength)
  }

  /// Whether another record is the same to the last byte.
  ///
  /// - Complexity: O(1) if it is this one, otherwise O(n) in bytes.
  public func equals(_ other: FeatureRecord) -> Bool {
    guard base != other.base else { return true }
    return size == other.size && memcmp(base, other.base, size) == 0
  }

  /// Compares records by id in the order of ``FeatureID``. See ``compare(_:_:)``.
  static func compareIDs(_ a: FeatureRecord, _ b: FeatureRecord) -> Int {
    compare(a.rawID, b.rawID)
  }

  /// Compares stored ids in the order of ``FeatureID``. Returns a negative number, zero or a
  /// positive number.
  public static func compare(_ a: RawID, _ b: RawID) -> Int {
    switch (a, b) {
    case (.integer(let x, _), .integer(let y, _)): x < y ? -1 : (x == y ? 0 : 1)
    case (.integer, .text): -1
    case (.text, .integer): 1
    case (.text(let x), .text(let y)):
      x.lexicographicallyPrecedes(y) ? -1 : (x.elementsEqual(y) ? 0 : 1)
    }
  }
}
