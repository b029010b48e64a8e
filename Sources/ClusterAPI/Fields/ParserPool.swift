import GeoFormats
import HTTPServer
import Threading

/// JSON parsers that are used again, as they keep their memory. Each is lent to one request at a time.
final class ParserPool: Sendable {
  /// `@unchecked Sendable`: a parser is taken out of the pool while it is used.
  private struct Box: @unchecked Sendable { let parser: JSONParser }

  /// The largest body of named values, in bytes. Bodies of features are no such bodies.
  static let maximumBody = 1 << 20
  static let tooLarge = Problem(413, "the body is larger than \(maximumBody) bytes")
  /// The most parsers that wait to be used again.
  private static let capacity = 64

  private let idle = Locked<[Box]>([])

  /// Lends a parser.
  func withParser<R>(_ body: (JSONParser) throws -> R) rethrows -> R {
    let box = idle.withLock { $0.popLast() } ?? Box(parser: JSONParser())
    defer {
      idle.withLock { if $0.count < ParserPool.capacity { $0.append(box) } }
    }
    return try body(box.parser)
  }

  /// Reads a JSON body that must be an object of allowed names, of at most ``maximumBody`` bytes.
  func withObject<R>(
    ofBody body: RequestBody, allowed: [String], _ read: (Fields, JSONValue) throws -> R
  ) throws -> R {
    guard body.count <= ParserPool.maximumBody else { throw ParserPool.tooLarge }
    return try withParser { parser in
      try body.withUnsafeBytes { bytes in
        let object: JSONValue
        do {
          object = try parser.parse(bytes)
        } catch let error as JSONError where error != .outOfMemory {
          throw ParserPool.problem(error, in: bytes, names: allowed)
        }
        return try read(try Fields(object: object, allowed: allowed), object)
      }
    }
  }

  /// The problem with a body that is not JSON. It points at the field that probably holds the error.
  private static func problem(
    _ error: JSONError, in bytes: UnsafeRawBufferPointer, names: [String]
  ) -> Problem {
    let detail = bytes.isEmpty ? "the body is empty" : "the body is not JSON: \(error)"
    let end = min(max(error.offset ?? bytes.count, 0), min(bytes.count, 4096))
    // Of the allowed names, the last one before the error.
    let text = bytes[..<end]
    var (last, start): (String?, Int?) = (nil, nil)
    for index in text.indices where text[index] == UInt8(ascii: "\"") {
      if let start {
        let name = text[(start + 1)..<index]
        last = names.first { $0.utf8.count == name.count && $0.utf8.elementsEqual(name) } ?? last
      }
      start = index
    }
    guard let last else { return Problem(400, detail) }
    return Problem(400, field: last, inBody: true, detail)
  }
}
