import Glibc

/// Looks into stored properties: JSON objects that were validated and freed of insignificant white
/// space when they came in.
public enum PropertyReader {
  /// The members of an object's text in their stored order, duplicates included: the text of the
  /// name and that of the value, a string's with its quotes.
  public struct Members: Sequence, IteratorProtocol {
    private let text: UnsafeRawBufferPointer
    private var index = 1

    init(_ text: UnsafeRawBufferPointer) { self.text = text }

    /// The next member.
    public mutating func next() -> (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
      guard index < text.count, text[index] == UInt8(ascii: "\"") else { return nil }
      let nameEnd = JSONScanner.endOfString(text, from: index)
      let valueStart = Swift.min(nameEnd + 1, text.count)
      let valueEnd = JSONScanner.endOfValue(text, from: valueStart)
      defer { index = valueEnd + 1 }
      return (
        UnsafeRawBufferPointer(rebasing: text[index..<nameEnd]),
        UnsafeRawBufferPointer(rebasing: text[valueStart..<valueEnd])
      )
    }
  }

  /// The members of an object's text.
  public static func members(of properties: UnsafeRawBufferPointer) -> Members {
    Members(properties)
  }

  /// The text of a member's value, the last one if several have the name; nil if there is none.
  /// Linear in the object's length.
  public static func value(
    of name: UnsafeRawBufferPointer, in properties: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer? {
    if PlainProperties.canFind(name, in: properties) {
      return PlainProperties.value(of: name, in: properties)
    }
    var found: UnsafeRawBufferPointer?
    for member in Members(properties) where isNamed(member.name, name) { found = member.value }
    return found
  }

  /// As ``value(of:in:)-(UnsafeRawBufferPointer,_)``, by an array.
  public static func value(
    of name: [UInt8], in properties: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer? {
    name.withUnsafeBytes { value(of: $0, in: properties) }
  }

  /// Writes an object with just the members that have one of the names, in their stored order; of
  /// several with one name only the last.
  public static func writeSelected(
    names: [[UInt8]], from properties: UnsafeRawBufferPointer, into writer: inout JSONWriter
  ) {
    writer.beginObject()
    for member in Members(properties) {
      guard let name = names.first(where: { $0.withUnsafeBytes { isNamed(member.name, $0) } }),
        value(of: name, in: properties)?.baseAddress == member.value.baseAddress
      else { continue }
      writer.raw(member.name)
      writer.append(UInt8(ascii: ":"))
      writer.raw(member.value)
    }
    writer.endObject()
  }

  /// The UTF-8 that the text of a JSON string (with its quotes) stands for.
  public static func unescape(_ string: UnsafeRawBufferPointer) -> [UInt8] {
    JSONScanner.unescape(string)
  }

  /// Whether the text of a string stands for a name.
  private static func isNamed(
    _ string: UnsafeRawBufferPointer, _ name: UnsafeRawBufferPointer
  ) -> Bool {
    // An escape is never shorter than what it stands for.
    guard string.count >= name.count + 2 else { return false }
    let inner = UnsafeRawBufferPointer(rebasing: string[1..<(string.count - 1)])
    if equalBytes(inner, name) { return memchr0(inner) == nil }
    guard memchr0(inner) != nil else { return false }
    return JSONScanner.unescape(string).withUnsafeBytes { equalBytes($0, name) }
  }

  /// Where the first backslash is.
  private static func memchr0(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer? {
    bytes.baseAddress.flatMap { memchr($0, Int32(UInt8(ascii: "\\")), bytes.count) }
  }
}
