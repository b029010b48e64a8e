/// A request, complete and independent of the connection on which it came: safe on any thread.
public struct HTTPRequest: Sendable {
  /// The method.
  public var method: HTTPMethod
  /// The path, still percent-encoded and without the query; "/" when empty, "*" for `OPTIONS *`.
  public var path: String
  /// The query, still percent-encoded and without the "?"; nil when there is no "?".
  public var query: String?
  /// The header fields.
  public var headers: HTTPHeaders
  /// The body; ``RequestBody/empty`` when there is none.
  public var body: RequestBody

  /// Makes a request, for handlers that are tested without a socket.
  public init(
    method: HTTPMethod = .get, path: String = "/", query: String? = nil,
    headers: HTTPHeaders = HTTPHeaders(), body: RequestBody = .empty
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
  }

  /// Path and query as they stood in the request line.
  public var target: String { query.map { "\(path)?\($0)" } ?? path }
}

/// The parts of a request-target (RFC 9112 section 3.2).
struct RequestTarget {
  var path: String
  var query: String?

  /// Nil when the target is not UTF-8. Everything else is left for the router to judge.
  init?(_ raw: UnsafeBufferPointer<UInt8>) {
    var rest = raw[...]
    if rest.first != UInt8(ascii: "/"), let authority = Self.afterScheme(raw) {
      // Absolute form: the authority is ours, whatever its name.
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
    // All that is ASCII is valid, and is told at once; as a rule all of it is.
    var all: UInt8 = 0
    for byte in bytes { all |= byte }
    return all < 0x80
      ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
  }

  private static func afterScheme(
    _ raw: UnsafeBufferPointer<UInt8>
  ) -> Slice<UnsafeBufferPointer<UInt8>>? {
    for scheme in ["http://", "https://"]
    where raw.count >= scheme.utf8.count
      && zip(raw, scheme.utf8).allSatisfy({ $0 | 0x20 == $1 | 0x20 })
    {
      return raw[scheme.utf8.count...]
    }
    return nil
  }
}
