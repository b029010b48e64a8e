/// One feature as it lies in memory: a view of encoded bytes, valid only while their owner (a
/// ``FeatureBatch`` inside `withRecord`, a ``RecordArena`` or snapshot that is kept alive) lives.
///
/// Layout, 8-byte aligned, host byte order (it is never written to disk):
/// ```
///  0  UInt32  length of the properties in bytes
///  4  UInt16  length of a text id in bytes, 0 for an integer id
///  6  UInt8   flags: 1 the integer id was written as text, 2 the id is still to be assigned,
///             4 there is an expiry, 8 it was said that there is none
///  7  UInt8   number of ordinates after longitude and latitude
///  8  Double  longitude
/// 16  Double  latitude
/// 24  Int64 integer id, or the text id's bytes padded to a multiple of 8
///     Int64 expiry, if there is one
///     Double × n further ordinates (altitude first)
///     the properties: a JSON object as it was sent, without insignificant white space
/// ```
public struct FeatureRecord {
  /// Where the record begins; 8-byte aligned.
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
  /// Where the further ordinates begin.
  var furtherOffset: Int { FeatureRecord.headerSize + idSize + expirySize }

  /// The record's size in bytes, a multiple of 8.
  var size: Int { (furtherOffset + furtherCount * 8 + propertiesLength + 7) & ~7 }

  /// The coordinate, bit for bit as it was sent.
  public var coordinate: Coordinate {
    Coordinate(
      latitude: base.load(fromByteOffset: 16, as: Double.self),
      longitude: base.load(fromByteOffset: 8, as: Double.self))
  }

  /// Whether the id is still to be assigned (the feature came without one).
  public var needsID: Bool { flags & FeatureRecord.unassignedFlag != 0 }

  /// The integer id; meaningless for a text id.
  var integerID: Int64 { base.load(fromByteOffset: FeatureRecord.headerSize, as: Int64.self) }

  /// The text id's UTF-8; empty for an integer id.
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

  /// The id without an allocation: the integer and whether it was written as text, or the text's
  /// UTF-8.
  public var rawID: RawID {
    guard textLength > 0 else {
      return .integer(integerID, writtenAsText: flags & FeatureRecord.writtenAsTextFlag != 0)
    }
    return .text(textID)
  }

  /// An id as it lies in a record.
  public enum RawID {
    /// An integer id, and whether it was written as text.
    case integer(Int64, writtenAsText: Bool)
    /// A text id's UTF-8.
    case text(UnsafeRawBufferPointer)
  }

  /// The times at which a feature can expire, in milliseconds since 1970 (UTC): what a date-time of
  /// RFC 3339 can name, the years 0 to 9999.
  public static let expiryRange: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

  /// When the feature is no more, in milliseconds since 1970 (UTC); nil: never.
  public var expires: Int64? {
    guard flags & FeatureRecord.expiresFlag != 0 else { return nil }
    return base.load(fromByteOffset: FeatureRecord.headerSize + idSize, as: Int64.self)
  }

  /// Whether the feature is no more at a time, in milliseconds since 1970 (UTC).
  public func hasExpired(at now: Int64) -> Bool { expires.map { $0 <= now } ?? false }

  /// Whether it was said that the feature never expires, rather than not said when; of features on
  /// their way in.
  public var neverExpires: Bool { flags & FeatureRecord.neverExpiresFlag != 0 }

  /// The ordinates after longitude and latitude: altitude first.
  public var furtherOrdinates: UnsafeBufferPointer<Double> {
    let start = base + furtherOffset
    return UnsafeBufferPointer(
      start: start.assumingMemoryBound(to: Double.self), count: furtherCount)
  }

  /// The properties: a JSON object in UTF-8.
  public var properties: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + furtherOffset + furtherCount * 8, count: propertiesLength)
  }

  /// Orders records by id as ``FeatureID`` does, without an allocation: negative, zero or positive.
  static func compareIDs(_ a: FeatureRecord, _ b: FeatureRecord) -> Int {
    compare(a.rawID, b.rawID)
  }

  /// Orders ids as they lie in records: negative, zero or positive.
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
