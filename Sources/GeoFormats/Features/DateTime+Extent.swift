public import ClusterCore

extension DateTime {
  /// The length of a date such as `2026-07-01`.
  static let dateLength = 10

  /// Parses a date-time as ``milliseconds(_:)`` does, or a date such as `2026-07-01`, which is that whole day in
  /// UTC.
  ///
  /// - Returns: nil for other texts.
  public static func extent(_ text: UnsafeRawBufferPointer) -> TimeExtent? {
    guard text.count == dateLength else {
      return milliseconds(text).map { TimeExtent(first: Double($0), last: Double($0)) }
    }
    let midnight: StaticString = "T00:00:00Z"
    let length = dateLength + midnight.utf8CodeUnitCount
    return withUnsafeTemporaryAllocation(byteCount: length, alignment: 1) { whole in
      whole.copyMemory(from: text)
      whole[dateLength...].copyBytes(
        from: UnsafeBufferPointer(
          start: midnight.utf8Start, count: midnight.utf8CodeUnitCount))
      return milliseconds(UnsafeRawBufferPointer(whole)).map {
        TimeExtent(first: Double($0), last: Double($0 + 86_399_999))
      }
    }
  }

  /// Parses a text in UTF-8.
  public static func extent(_ text: [UInt8]) -> TimeExtent? {
    text.withUnsafeBytes { extent($0) }
  }
}
