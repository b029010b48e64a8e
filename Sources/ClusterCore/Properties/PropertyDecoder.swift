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
