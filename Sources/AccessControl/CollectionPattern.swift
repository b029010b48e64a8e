/// The ids of some collections: a text in which each `*` stands for any number of any characters.
public struct CollectionPattern: Hashable, Sendable {
  /// What is between the asterisks.
  private let parts: [[UInt8]]

  /// Reads a pattern; nil unless it has 1 to 64 of the characters of ids and `*`.
  init?(_ text: String) {
    let isPlain = text.utf8.allSatisfy { byte in
      switch UInt8(byte) {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
        UInt8(ascii: "*"):
        true
      default: false
      }
    }
    guard isPlain, (1...64).contains(text.utf8.count) else { return nil }
    parts = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
      .map(Array.init)
  }

  /// Whether an id is of the pattern.
  func matches(_ id: String) -> Bool {
    var rest = Array(id.utf8)[...]
    guard let first = parts.first, let last = parts.last, rest.starts(with: first) else {
      return false
    }
    if parts.count == 1 { return rest.count == first.count }
    rest = rest.dropFirst(first.count)
    for part in parts.dropFirst().dropLast() {
      // The first place is as good as any other, as an asterisk takes the rest.
      guard let found = rest.firstRange(of: part) else { return false }
      rest = rest[found.upperBound...]
    }
    return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
  }
}
