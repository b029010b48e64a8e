import Glibc
import HTTPServer
import Texts

/// The version to which a collection must have come before a read of it is answered, and that read.
struct AskedVersion {
  let version: Int64
  /// The request without the version in its query: so the answer is the same for caches, entity tags and links.
  let request: HTTPRequest

  private static let queryName = "minVersion"
  /// Every double up to this that is an integer is that and no other.
  private static let last = 9_007_199_254_740_991

  /// Reads the version that a request names in its query or in a header field; nil if it names none. Of two, the later
  /// counts.
  ///
  /// - Throws: ``Problem`` 400 if the value can't be a version.
  init?(_ request: HTTPRequest) throws(Problem) {
    let field = request.headers[VersionField.name]
    let isInQuery = request.query.map(AskedVersion.mayBeNamed) ?? false
    if field == nil, !isInQuery { return nil }
    var (version, rest): (Int64?, HTTPRequest) = (nil, request)
    if let field {
      let name = VersionField.name
      guard let number = AskedVersion.number(field) else {
        throw Problem(400, field: name, inBody: false, "\(name) \(AskedVersion.rule)")
      }
      version = number
    }
    if isInQuery, let query = request.query {
      let (own, others) = AskedVersion.split(query)
      let (fields, name) = (
        try Fields(query: own, allowed: [AskedVersion.queryName]), AskedVersion.queryName
      )
      if let number = try fields.wholeNumber(name) {
        guard (0...Double(AskedVersion.last)).contains(number) else {
          throw fields.problem(name, "\(name) \(AskedVersion.rule)")
        }
        version = max(version ?? 0, Int64(number))
        rest.query = others.isEmpty ? nil : others
      }
    }
    guard let version else { return nil }
    (self.version, self.request) = (version, rest)
  }

  private static let rule = "is not an integer within 0…\(last)"

  /// The number of a header field, which has nothing but digits.
  private static func number(_ field: String) -> Int64? {
    let digits = field.trimmed
    guard !digits.isEmpty, digits.utf8.count <= 16,
      digits.utf8.allSatisfy({ $0.isDigit }),
      let number = Int64(digits), number <= last
    else { return nil }
    return number
  }

  /// Whether a name in a query may be that of the version. Only decoding tells where it has escapes.
  private static func mayBeNamed(_ query: String) -> Bool {
    let found = query.utf8.withContiguousStorageIfAvailable { bytes in
      guard let base = bytes.baseAddress else { return false }
      var start = 0
      while start < bytes.count {
        if mayBegin(bytes[start...]) { return true }
        guard let next = memchr(base + start, Int32(UInt8(ascii: "&")), bytes.count - start) else {
          return false
        }
        start = UnsafeRawPointer(next) - UnsafeRawPointer(base) + 1
      }
      return false
    }
    return found ?? true
  }

  /// Whether a text begins with the name, or with a part of it and an escape.
  @inline(__always)
  private static func mayBegin(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    var index = text.startIndex
    for byte in queryName.utf8 {
      guard index < text.endIndex else { return false }
      if text[index] == UInt8(ascii: "%") { return true }
      if text[index] != byte { return false }
      index += 1
    }
    return true
  }

  /// The parts of a query that name the version, and the others.
  private static func split(_ query: String) -> (own: String, others: String) {
    var (own, others): ([Substring], [Substring]) = ([], [])
    for part in query.parts(separatedBy: UInt8(ascii: "&")) where !part.isEmpty {
      let name = EncodedText(String(part.parts(separatedBy: UInt8(ascii: "="), atMost: 1)[0]))
      let isOwn = name.decoded(plusIsSpace: true)?.isSame(as: queryName) ?? false
      if isOwn { own.append(part) } else { others.append(part) }
    }
    return (own.joined(separator: "&"), others.joined(separator: "&"))
  }
}
