/// An answer as it came over the wire.
public struct TestResponse: Sendable {
  /// The status code.
  public let status: Int
  /// Header fields in order, names as they were sent.
  public let headers: [(name: String, value: String)]
  /// The body: chunks joined, not decompressed.
  public let body: [UInt8]

  /// The first header of that name, in any case.
  public func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// The first header of that name, in any case.
  public subscript(name: String) -> String? { header(name) }

  /// Whether the body is problem details in JSON.
  public var isProblem: Bool {
    self["content-type"] == "application/problem+json" && text.hasPrefix("{")
  }

  /// The media type without parameters.
  public var mediaType: String? {
    header("content-type")?.split(separator: ";").first.map(String.init)
  }

  /// The body as text.
  public var text: String { String(decoding: body, as: UTF8.self) }

  /// The body as JSON.
  public func json() throws -> TestJSON { try TestJSON(parsing: body) }

  /// The body as JSON, `null` where it is none.
  public var value: TestJSON { (try? json()) ?? .null }
}

/// Reads answers off the bytes of a connection.
struct TestResponseParser {
  private let bytes: [UInt8]
  private var at = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// How many bytes the answers read so far took.
  var consumed: Int { at }

  /// The next complete final answer; nil if more bytes are needed. Interim 1xx answers are skipped.
  mutating func next(toHead: Bool, atEnd: Bool) throws(TestClient.Failure) -> TestResponse? {
    while true {
      guard let (status, headers) = try head() else { return nil }
      if (100..<200).contains(status), status != 101 { continue }
      let response = TestResponse(status: status, headers: headers, body: [])
      if toHead || status == 204 || status == 304 { return response }
      guard let body = try body(of: response, atEnd: atEnd) else { return nil }
      return TestResponse(status: status, headers: headers, body: body)
    }
  }

  /// The next head of a final answer, without the body; nil if more bytes are needed.
  mutating func nextHead() throws(TestClient.Failure) -> TestResponse? {
    guard let (status, headers) = try head() else { return nil }
    return TestResponse(status: status, headers: headers, body: [])
  }

  private mutating func line() -> String? {
    var end = at
    while end + 1 < bytes.count {
      if bytes[end] == 13, bytes[end + 1] == 10 {
        defer { at = end + 2 }
        return String(decoding: bytes[at..<end], as: UTF8.self)
      }
      end += 1
    }
    return nil
  }

  private mutating func head() throws(TestClient.Failure) -> (
    Int, [(name: String, value: String)]
  )? {
    guard let first = line() else { return nil }
    let parts = first.split(separator: " ", maxSplits: 2)
    guard parts.count >= 2, parts[0].hasPrefix("HTTP/1."), let status = Int(parts[1]) else {
      throw .malformed("status line: \(first)")
    }
    var headers: [(name: String, value: String)] = []
    while let field = line() {
      if field.isEmpty { return (status, headers) }
      guard let colon = field.firstIndex(of: ":") else { throw .malformed("header: \(field)") }
      let value = field[field.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      headers.append((String(field[..<colon]), String(value)))
    }
    return nil
  }

  private mutating func body(of response: TestResponse, atEnd: Bool) throws(TestClient.Failure)
    -> [UInt8]?
  {
    if response.header("transfer-encoding")?.lowercased() == "chunked" { return try chunks() }
    guard let length = response.header("content-length") else {
      guard atEnd else { return nil }
      defer { at = bytes.count }
      return Array(bytes[at...])
    }
    guard let count = Int(length), count >= 0 else {
      throw .malformed("content-length: \(length)")
    }
    guard bytes.count - at >= count else { return nil }
    defer { at += count }
    return Array(bytes[at..<at + count])
  }

  private mutating func chunks() throws(TestClient.Failure) -> [UInt8]? {
    var out: [UInt8] = []
    while let size = line() {
      let digits = size.prefix { $0 != ";" }
      guard let count = Int(digits, radix: 16), count >= 0 else {
        throw .malformed("chunk size: \(size)")
      }
      guard bytes.count - at >= count + 2 else { return nil }
      out += bytes[at..<at + count]
      // And CRLF; after the last chunk that ends the trailers, of which there are none.
      at += count + 2
      if count == 0 { return out }
    }
    return nil
  }
}
