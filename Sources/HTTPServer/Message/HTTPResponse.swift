/// An answer. Date, Content-Length and Connection are the transport's and are not set here.
public struct HTTPResponse: Sendable {
  /// The status code.
  public var status: Int
  /// The header fields, in order.
  public var headers: [(name: String, value: String)]
  /// The body, for HEAD too: there only its length is sent.
  public var body: [UInt8]
  /// The unquoted base of the entity tag. Nil on a 200 to GET, HEAD or POST means that a hash of
  /// the body is used; otherwise nil means no tag.
  public var etag: String?
  /// Set for an answer that goes on: ``body`` is but its beginning, and this is called with what the
  /// rest is to be sent by, once, on a thread of the server, for which it must be quick. Where there
  /// is no rest, because the client has gone or has asked for the head only, the stream has ended.
  /// Such an answer is neither compressed nor tagged, and the connection ends with it.
  public var stream: (@Sendable (ResponseStream) -> Void)?

  /// Makes an answer.
  public init(
    status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
    etag: String? = nil
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.etag = etag
  }

  /// The first value of a header field, its name compared without regard to case.
  public func header(_ name: String) -> String? {
    headers.first { $0.name.isSameField(as: name) }?.value
  }
}

extension String {
  /// Whether two field names are the same without regard to the case of ASCII letters.
  func isSameField(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    return withBytes { one in
      other.withBytes { two in
        for place in 0..<one.count {
          let (a, b) = (one[place], two[place])
          guard a == b || (a ^ b == 0x20 && (a | 0x20) >= 0x61 && (a | 0x20) <= 0x7A) else {
            return false
          }
        }
        return true
      }
    }
  }

  /// Lends the UTF-8, without a copy of the string as withUTF8() needs one.
  @inline(__always)
  func withBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
    return Array(utf8).withUnsafeBufferPointer(body)
  }
}
