/// The parts of a request-target (RFC 9112 section 3.2).
struct RequestTarget {
  var path: String
  var query: String?

  /// Splits a target. Returns nil when it is not UTF-8; the router judges everything else.
  init?(_ raw: UnsafeBufferPointer<UInt8>) {
    var rest = raw[...]
    if rest.first != UInt8(ascii: "/"), let authority = Self.afterScheme(raw) {
      // Absolute form: this server answers for every authority.
      rest = authority.drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    }
    let mark = rest.firstIndex(of: UInt8(ascii: "?"))
    let head = rest[..<(mark ?? rest.endIndex)]
    guard let path = Self.text(head) else { return nil }
    self.path = path.isEmpty ? "/" : path
    guard let mark else { return }
    let tail = rest[(mark + 1)...]
    query = Self.text(tail)
    if query == nil { return nil }
  }

  /// Bytes as text; nil when they are not UTF-8.
  private static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
    let bytes = UnsafeBufferPointer(rebasing: bytes)
    // ASCII, which targets nearly always are, is valid UTF-8.
    var all: UInt8 = 0
    for byte in bytes { all |= byte }
    return all < 0x80
      ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
  }

  /// The target after `http://` or `https://`; nil when it begins with neither.
  private static func afterScheme(
    _ raw: UnsafeBufferPointer<UInt8>
  ) -> Slice<UnsafeBufferPointer<UInt8>>? {
    for (lower, upper) in [("http://", "HTTP://"), ("https://", "HTTPS://")]
    where raw.count >= lower.utf8.count
      && zip(raw, zip(lower.utf8, upper.utf8)).allSatisfy({ $0 == $1.0 || $0 == $1.1 })
    {
      return raw[lower.utf8.count...]
    }
    return nil
  }
}
