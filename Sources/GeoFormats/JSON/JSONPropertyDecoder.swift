public import ClusterCore

/// Reads single properties from stored JSON objects.
public struct JSONPropertyDecoder: PropertyDecoder {
  /// Creates a decoder.
  public init() {}

  /// Calls `body` with the value of the last member with a name.
  public func withValue(
    of name: [UInt8], in properties: UnsafeRawBufferPointer, _ body: (PropertyValue) -> Void
  ) {
    guard let text = PropertyReader.value(of: name, in: properties), let first = text.first else {
      return body(.missing)
    }
    switch first {
    case UInt8(ascii: "\""):
      let inner = UnsafeRawBufferPointer(rebasing: text[1..<max(text.count - 1, 1)])
      if JSONScanner.nextQuoteOrBackslash(inner, from: 0) == inner.count {
        return body(.string(inner))
      }
      JSONScanner.unescape(text).withUnsafeBytes { body(.string($0)) }
    case UInt8(ascii: "["), UInt8(ascii: "{"): body(.other(text))
    case UInt8(ascii: "t"): body(.bool(true))
    case UInt8(ascii: "f"): body(.bool(false))
    case UInt8(ascii: "n"): body(.missing)
    default: body(JSONText.finite(text).map { .number($0) } ?? .missing)
    }
  }
}
