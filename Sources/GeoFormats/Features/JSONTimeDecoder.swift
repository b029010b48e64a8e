public import ClusterCore

/// Reads the times in single properties of stored JSON objects as numbers.
public struct JSONTimeDecoder: PropertyDecoder {
  private let isDay: Bool

  /// Creates the decoder of a reading other than that of values.
  public init(_ reading: ColumnName.Reading) { isDay = reading == .days }

  /// Calls `body` with a number, or as missing.
  public func withValue(
    of name: [UInt8], in properties: UnsafeRawBufferPointer, _ body: (PropertyValue) -> Void
  ) {
    JSONPropertyDecoder().withValue(of: name, in: properties) { read($0, body) }
  }

  /// Calls `body` with the time in a text as a number, or as missing.
  public func read(_ value: PropertyValue, _ body: (PropertyValue) -> Void) {
    guard case .string(let text) = value, let time = DateTime.extent(text) else {
      return body(.missing)
    }
    guard isDay else { return body(.number(time.first)) }
    body(text.count == DateTime.dateLength ? .number(time.last) : .missing)
  }
}
