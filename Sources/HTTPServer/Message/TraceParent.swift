import Texts

/// A caller's place in a distributed trace: the field `traceparent` of W3C Trace Context.
public struct TraceParent: Sendable, Hashable {
  /// The trace: 32 hexadecimal digits.
  public let trace: String
  /// The caller's span in it: 16 hexadecimal digits.
  public let parent: String

  /// Reads the value of the field; nil if it isn't valid.
  public init?(_ field: String) {
    let bytes = Array(field.utf8.prefix(56))
    // Later versions may have more at the end, behind a hyphen.
    guard bytes.count >= 55, [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }),
      let version = TraceParent.digits(bytes[0..<2]), version != "ff",
      bytes.count == 55 || version != "00" && bytes[55] == UInt8(ascii: "-"),
      let trace = TraceParent.digits(bytes[3..<35]),
      let parent = TraceParent.digits(bytes[36..<52]),
      TraceParent.digits(bytes[53..<55]) != nil,
      [trace, parent].allSatisfy({ $0.utf8.contains { $0 != UInt8(ascii: "0") } })
    else { return nil }
    (self.trace, self.parent) = (trace, parent)
  }

  /// The text of lower-case hexadecimal digits; nil if something else is among them.
  private static func digits(_ bytes: ArraySlice<UInt8>) -> String? {
    let isValid = bytes.allSatisfy { $0.isDigit || (0x61...0x66).contains($0) }
    return isValid ? String(decoding: bytes, as: UTF8.self) : nil
  }
}
