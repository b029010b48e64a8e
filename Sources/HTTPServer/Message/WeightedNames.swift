import Texts

/// The members of a list such as that of Accept: names, each with parameters, of which `q` says how well it is liked
/// (RFC 9110, section 12.4.2). They are read by bytes, and no more than ``HTTPHeaders/mostMembers``.
public struct WeightedNames: Sequence, IteratorProtocol {
  /// A member.
  public struct Element {
    /// The name, without parameters and white space.
    public let name: Substring
    /// The weight, 0 to 1: 1 without one; nil if it is malformed.
    public let weight: Double?

    /// Whether it has a name, whatever the case of its letters.
    @inlinable
    public func isNamed(_ other: some StringProtocol) -> Bool { name.isSameField(as: other) }
  }

  private var parts: ArraySlice<Substring>

  /// Begins to read a field.
  ///
  /// - Complexity: O(members).
  public init(_ field: String) {
    parts = field.parts(separatedBy: UInt8(ascii: ","), atMost: HTTPHeaders.mostMembers)[...]
  }

  /// The next member; nil behind the last.
  ///
  /// - Complexity: O(bytes).
  public mutating func next() -> Element? {
    guard let part = parts.popFirst() else { return nil }
    // No type has more parameters.
    let texts = part.parts(separatedBy: UInt8(ascii: ";"), atMost: HTTPHeaders.mostMembers)
    for parameter in texts.dropFirst() {
      let pair = parameter.parts(separatedBy: UInt8(ascii: "="), atMost: 2)
      guard pair.count == 2, pair[0].trimmed.isSameField(as: "q") else { continue }
      return Element(name: texts[0].trimmed, weight: WeightedNames.weight(pair[1].trimmed))
    }
    return Element(name: texts[0].trimmed, weight: 1)
  }

  private static func weight(_ text: Substring) -> Double? {
    // Three decimals are the most.
    guard text.utf8.count <= 16, let weight = Double(text), (0...1).contains(weight) else {
      return nil
    }
    return weight
  }
}
