/// Reads single properties from a record's JSON text.
public protocol PropertyDecoder: Sendable {
  /// Calls `body` once with the value of the property with a name in UTF-8.
  func withValue(
    of name: [UInt8], in properties: UnsafeRawBufferPointer, _ body: (PropertyValue) -> Void)

  /// Calls `body` once with the decoded form of a value that isn't in a record's JSON text.
  func read(_ value: PropertyValue, _ body: (PropertyValue) -> Void)
}

extension PropertyDecoder {
  /// Calls `body` with the value itself.
  public func read(_ value: PropertyValue, _ body: (PropertyValue) -> Void) { body(value) }

  /// Calls `body` once with the value of a property of a record, or with its id: see
  /// ``ColumnName/featureID``.
  @inline(__always)
  func withValue(of name: [UInt8], of record: FeatureRecord, _ body: (PropertyValue) -> Void) {
    guard name == ColumnName.featureID else {
      return withValue(of: name, in: record.properties, body)
    }
    switch record.rawID {
    case .integer(let number, writtenAsText: false): read(.number(Double(number)), body)
    case .integer(let number, writtenAsText: true):
      var text = String(number)
      text.withUTF8 { read(.string(UnsafeRawBufferPointer($0)), body) }
    case .text(let text): read(.string(text), body)
    }
  }
}

/// The value of a property. Its bytes are valid only as long as the function that provides it says.
public enum PropertyValue {
  /// No value or JSON null.
  case missing
  /// A boolean.
  case bool(Bool)
  /// A finite number.
  case number(Double)
  /// A string's UTF-8, unescaped.
  case string(UnsafeRawBufferPointer)
  /// The JSON text of an array or an object, without insignificant white space.
  case other(UnsafeRawBufferPointer)
}

/// The column that a filter reads of a property: its values, or the times in them.
public struct ColumnName: Hashable, Sendable {
  /// How values are read.
  public enum Reading: Hashable, Sendable {
    case values
    /// The first millisecond since 1970 of each date-time and date; other values are missing.
    case times
    /// The last millisecond of each date; other values are missing.
    case days
  }

  /// Stands for a feature's id where the name of a property does. No property has this name, as it isn't UTF-8.
  public static let featureID: [UInt8] = [0xFF]

  /// The UTF-8 of the property's name.
  public var property: [UInt8]
  /// How its values are read.
  public var reading: Reading

  /// Creates a name.
  public init(_ property: [UInt8], _ reading: Reading = .values) {
    (self.property, self.reading) = (property, reading)
  }
}
