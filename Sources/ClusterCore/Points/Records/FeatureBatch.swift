/// The features that a parser reads, the store writes and an index takes over.
///
/// The records are adjacent in a single buffer, so a batch of any size takes two allocations.
public struct FeatureBatch: Sendable {
  private var words: [UInt64] = []
  private var starts: [Int] = []

  /// The maximum number of ordinates after longitude and latitude. Further ones are dropped.
  public static let maximumFurtherOrdinates = 255

  /// Creates an empty batch.
  public init() {}

  /// The number of features.
  public var count: Int { starts.count }

  /// Whether the batch has no features.
  public var isEmpty: Bool { starts.isEmpty }

  /// The size of the records in bytes.
  public var byteCount: Int { words.count * 8 }

  /// The size of the records and of what finds them, in bytes.
  public var memory: Int { (words.count + starts.count) * 8 }

  /// Reserves memory.
  public mutating func reserveCapacity(features: Int, bytes: Int) {
    starts.reserveCapacity(features)
    words.reserveCapacity(bytes / 8)
  }

  /// Makes sure that a large batch can take another feature, whose buffers grow to twice their size. Returns false if there
  /// is no memory for that, which would end the process.
  ///
  /// - Parameter bytes: the most bytes of the feature.
  public mutating func prepare(forFeatureOf bytes: Int) -> Bool {
    let (need, all) = ((bytes + 4096) / 8, words.capacity + starts.capacity)
    guard words.count + need > words.capacity || starts.count == starts.capacity,
      all > FeatureBatch.large
    else { return true }
    guard LargeMemory.isAvailable(all * 16) else { return false }
    words.reserveCapacity(max(words.capacity * 2, words.count + need))
    starts.reserveCapacity(starts.capacity * 2)
    return true
  }

  /// The words of a batch that is looked after.
  private static let large = 1 << 18

  /// Removes all features but keeps the memory.
  public mutating func removeAll() {
    words.removeAll(keepingCapacity: true)
    starts.removeAll(keepingCapacity: true)
  }

  /// Appends a feature.
  ///
  /// - Parameters:
  ///   - id: the id, or nil if ``assignID(_:at:)`` will assign it.
  ///   - coordinate: a coordinate that the caller has checked: finite, with a latitude within ±90
  ///     and a longitude within ±180.
  ///   - further: the ordinates after longitude and latitude; those past
  ///     ``maximumFurtherOrdinates`` are dropped.
  ///   - properties: a valid JSON object in UTF-8, under 4 GiB.
  ///   - expires: the expiry in milliseconds since 1970 (UTC), or nil for none or the one that
  ///     ``applyDefaultExpiry(_:)`` gives.
  ///   - neverExpires: whether it is declared never to expire. Ignored if `expires` is given.
  public mutating func append(
    id: FeatureID?, coordinate: Coordinate, further: UnsafeBufferPointer<Double>,
    properties: UnsafeRawBufferPointer, expires: Int64? = nil, neverExpires: Bool = false
  ) {
    var flags: UInt8 = 0
    var text: [UInt8] = []
    var integer: Int64 = 0
    switch id?.key {
    case nil: flags = FeatureRecord.unassignedFlag
    case .integer(let value):
      integer = value
      if id?.isWrittenAsText == true { flags = FeatureRecord.writtenAsTextFlag }
    case .text(let bytes): text = bytes
    }
    if expires != nil {
      flags |= FeatureRecord.expiresFlag
    } else if neverExpires {
      flags |= FeatureRecord.neverExpiresFlag
    }
    let furtherCount = min(further.count, FeatureBatch.maximumFurtherOrdinates)
    let idSize = text.isEmpty ? 8 : (text.count + 7) & ~7
    let headSize = FeatureRecord.headerSize + idSize + (expires == nil ? 0 : 8)
    let size = (headSize + furtherCount * 8 + properties.count + 7) & ~7
    let start = words.count
    starts.append(start)
    words.append(contentsOf: repeatElement(0, count: size / 8))
    words.withUnsafeMutableBytes { bytes in
      guard var cursor = bytes.baseAddress.map({ $0 + start * 8 }) else { return }
      cursor.storeBytes(of: UInt32(properties.count), as: UInt32.self)
      cursor.storeBytes(of: UInt16(text.count), toByteOffset: 4, as: UInt16.self)
      cursor.storeBytes(of: flags, toByteOffset: 6, as: UInt8.self)
      cursor.storeBytes(of: UInt8(furtherCount), toByteOffset: 7, as: UInt8.self)
      cursor.storeBytes(of: coordinate.longitude, toByteOffset: 8, as: Double.self)
      cursor.storeBytes(of: coordinate.latitude, toByteOffset: 16, as: Double.self)
      cursor += FeatureRecord.headerSize
      if text.isEmpty {
        cursor.storeBytes(of: integer, as: Int64.self)
      } else {
        UnsafeMutableRawBufferPointer(start: cursor, count: text.count).copyBytes(from: text)
      }
      cursor += idSize
      if let expires {
        cursor.storeBytes(of: expires, as: Int64.self)
        cursor += 8
      }
      if furtherCount > 0, let source = further.baseAddress {
        cursor.copyMemory(from: source, byteCount: furtherCount * 8)
      }
      cursor += furtherCount * 8
      if let source = properties.baseAddress {
        cursor.copyMemory(from: source, byteCount: properties.count)
      }
    }
  }

  /// Appends a copy of a feature, under another id if one is given.
  public mutating func append(_ record: FeatureRecord, as id: FeatureID? = nil) {
    append(
      id: id ?? (record.needsID ? nil : record.id), coordinate: record.coordinate,
      further: record.furtherOrdinates, properties: record.properties, expires: record.expires,
      neverExpires: record.neverExpires)
  }

  /// Assigns an integer id to the feature at `index`, which has none.
  public mutating func assignID(_ integer: Int64, at index: Int) {
    let start = starts[index]
    words.withUnsafeMutableBytes { bytes in
      guard let record = bytes.baseAddress.map({ $0 + start * 8 }) else { return }
      let flags = record.load(fromByteOffset: 6, as: UInt8.self)
      record.storeBytes(
        of: flags & ~FeatureRecord.unassignedFlag, toByteOffset: 6, as: UInt8.self)
      record.storeBytes(of: integer, toByteOffset: FeatureRecord.headerSize, as: Int64.self)
    }
  }

  /// Calls `body` with the record at `index`, which must not escape.
  public func withRecord<R>(at index: Int, _ body: (FeatureRecord) throws -> R) rethrows -> R {
    let start = starts[index]
    return try words.withUnsafeBytes { bytes in
      // The buffer holds a record, so it has a base address.
      guard let base = bytes.baseAddress else { preconditionFailure("empty batch") }
      return try body(FeatureRecord(base: base + start * 8))
    }
  }

  /// Copies the record at `index` into an arena.
  func append(
    recordAt index: Int, to records: inout RecordArena
  ) throws(RecordArena.Full) -> RecordReference {
    let reference = withRecord(at: index) { try? records.append($0) }
    guard let reference else { throw RecordArena.Full() }
    return reference
  }

  /// The records of a batch, valid within ``withRecords(_:)``.
  public struct Records {
    let base: UnsafeRawPointer
    let starts: [Int]

    /// The number of records.
    public var count: Int { starts.count }

    /// Whether no record has an id yet.
    ///
    /// - Complexity: O(records).
    public var allNeedIDs: Bool { starts.indices.allSatisfy { self[$0].needsID } }

    /// The record at `index`.
    public subscript(index: Int) -> FeatureRecord {
      FeatureRecord(base: base + starts[index] * 8)
    }
  }

  /// Calls `body` with all records, which must not escape. Returns nil for an empty batch.
  ///
  /// - Throws: the error of `body`.
  public func withRecords<R, E>(_ body: (Records) throws(E) -> R) throws(E) -> R? {
    try words.withUnsafeBytes { bytes in
      bytes.baseAddress.map { base in
        Result { () throws(E) in try body(Records(base: base, starts: starts)) }
      }
    }?.get()
  }

  /// The largest integer id in the batch, or nil if there is none.
  ///
  /// - Complexity: O(records).
  public var largestIntegerID: Int64? {
    var largest: Int64?
    for index in 0..<count {
      withRecord(at: index) { record in
        if !record.needsID, case .integer(let value, _) = record.rawID {
          largest = max(largest ?? value, value)
        }
      }
    }
    return largest
  }
}
