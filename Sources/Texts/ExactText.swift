/// A text that is equal to those of the same bytes alone: as a key, where Swift's texts are equal to others that look the
/// same.
public struct ExactText: Sendable, ExpressibleByStringLiteral {
  /// The text.
  public let text: String

  /// Wraps a text.
  public init(_ text: some StringProtocol) { self.text = String(text) }

  /// Wraps a text.
  public init(stringLiteral text: String) { self.text = text }
}

extension ExactText: Hashable {
  /// Whether two texts have the same bytes.
  @inlinable
  public static func == (a: ExactText, b: ExactText) -> Bool { a.text.isSame(as: b.text) }

  /// Hashes the bytes.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(0xFF as UInt8)
  }
}
