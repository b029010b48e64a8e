import Glibc

/// Reads stored properties: JSON objects that were validated and stripped of insignificant white space when
/// they were stored.
public enum PropertyReader {
  /// The members of an object in their stored order, including duplicates, as the texts of their names and
  /// values. The texts of strings include their quotes.
  public struct Members: Sequence, IteratorProtocol {
    private let text: UnsafeRawBufferPointer
    private var index = 1

    /// Creates the members of an object.
    public init(of properties: UnsafeRawBufferPointer) { text = properties }

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

  /// The text of the value of the last member with a name; nil if there is none. Linear in the length of
  /// the object.
  public static func value(
    of name: [UInt8], in properties: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer? {
    name.withUnsafeBytes { name in
      if PlainProperties.canFind(name, in: properties) {
        return PlainProperties.value(of: name, in: properties)
      }
      var found: UnsafeRawBufferPointer?
      for member in Members(of: properties) where isNamed(member.name, name) {
        found = member.value
      }
      return found
    }
  }

  /// Calls `body` with the members that have one of the names, in their stored order, as ``Members`` gives them. Of several
  /// members with one name only the last counts. Linear in the length of the object, but for the logarithm of the number of
  /// names.
  ///
  /// - Complexity: O(bytes of the properties).
  public static func forEachSelected(
    _ names: PropertyNames, in properties: UnsafeRawBufferPointer,
    _ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void
  ) {
    withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: names.count) { last in
      last.initialize(repeating: nil)
      for member in Members(of: properties) {
        if let place = names.place(of: member.name) { last[place] = member.value.baseAddress }
      }
      for member in Members(of: properties) {
        guard let place = names.place(of: member.name), last[place] == member.value.baseAddress
        else { continue }
        body(member.name, member.value)
      }
    }
  }

  /// Writes an object with the members that ``forEachSelected(_:in:_:)`` selects.
  public static func writeSelected(
    names: PropertyNames, from properties: UnsafeRawBufferPointer, into writer: inout JSONWriter
  ) {
    writer.beginObject()
    forEachSelected(names, in: properties) { name, value in
      writer.raw(name)
      writer.append(UInt8(ascii: ":"))
      writer.raw(value)
    }
    writer.endObject()
  }

  /// Whether a JSON string whose text includes its quotes equals a name.
  private static func isNamed(
    _ string: UnsafeRawBufferPointer, _ name: UnsafeRawBufferPointer
  ) -> Bool {
    // Escapes are never shorter than the characters they stand for.
    guard string.count >= name.count + 2 else { return false }
    return JSONScanner.withUTF8(of: string) { equalBytes($0, name) }
  }
}
