/// The ids of some collections: a text in which each `*` stands for any number of any characters.
public struct CollectionPattern: Hashable, Sendable {
  /// The texts between the asterisks.
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

  /// Whether an id is of the pattern. O(id · parts), without memory.
  func matches(_ id: String) -> Bool {
    // Ids are native strings, whose bytes are there.
    id.utf8.withContiguousStorageIfAvailable(matches)
      ?? Array(id.utf8).withUnsafeBufferPointer(matches)
  }

  private func matches(_ id: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = parts.first, let last = parts.last else { return false }
    func has(_ part: [UInt8], at start: Int) -> Bool {
      start + part.count <= id.count && part.indices.allSatisfy { id[start + $0] == part[$0] }
    }
    guard has(first, at: 0) else { return false }
    if parts.count == 1 { return id.count == first.count }
    var start = first.count
    for part in parts.dropFirst().dropLast() {
      // The first place is as good as any other, as an asterisk takes the rest.
      while !has(part, at: start) {
        start += 1
        if start + part.count > id.count { return false }
      }
      start += part.count
    }
    return id.count - last.count >= start && has(last, at: id.count - last.count)
  }
}
