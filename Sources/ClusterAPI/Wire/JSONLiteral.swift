import GeoFormats
import HTTPServer

/// A JSON value of a document that is seldom asked for, written as a literal. The members of an object are in order; those
/// without a value are left out.
enum JSONLiteral: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  case string(String)
  case integer(Int)
  case number(Double)
  case bool(Bool)
  case null
  case array([JSONLiteral])
  case object([(name: String, value: JSONLiteral?)])
  case links([Link])

  init(stringLiteral value: String) { self = .string(value) }
  init(integerLiteral value: Int) { self = .integer(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(arrayLiteral elements: JSONLiteral...) { self = .array(elements) }
  init(dictionaryLiteral members: (String, JSONLiteral?)...) {
    self = .object(members.map { (name: $0, value: $1) })
  }

  /// A text, or null.
  static func text(_ text: String?) -> JSONLiteral { text.map { .string($0) } ?? .null }

  /// An array of texts.
  static func texts(_ texts: [String]) -> JSONLiteral { .array(texts.map { .string($0) }) }
}

extension JSONLiteral {
  typealias Member = (name: String, value: JSONLiteral?)
}

extension JSONWriter {
  /// Writes a literal.
  mutating func write(_ literal: JSONLiteral) {
    switch literal {
    case .string(let text): value(text)
    case .integer(let number): value(number)
    case .number(let number): value(number)
    case .bool(let bool): value(bool)
    case .null: null()
    case .array(let elements): array { json in for element in elements { json.write(element) } }
    case .object(let members): object { $0.members(members) }
    case .links(let links): array(of: links)
    }
  }

  /// Writes members of an object.
  mutating func members(_ members: [JSONLiteral.Member]) {
    for case (var name, let value?) in members {
      name.withUTF8 { keyUTF8(UnsafeRawBufferPointer($0)) }
      write(value)
    }
  }
}

extension HTTPResponse {
  /// A document.
  init(
    _ document: JSONLiteral, status: Int = 200, type: MediaType = .json, etag: String? = nil
  ) {
    var json = JSONWriter()
    json.write(document)
    self.init(json.take(), status: status, type: type, etag: etag)
  }
}
