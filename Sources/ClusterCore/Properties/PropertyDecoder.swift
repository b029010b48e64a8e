/// Reads single properties from a record's JSON text.
public protocol PropertyDecoder: Sendable {
  /// Calls `body` once with the value of the property with a name in UTF-8.
  func withValue(
    of name: [UInt8], in properties: UnsafeRawBufferPointer, _ body: (PropertyValue) -> Void)
}
