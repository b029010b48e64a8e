import ClusterCore

@testable import GeoFormats

/// The reason why a text is not JSON; nil if it is.
func jsonError(_ bytes: [UInt8], maximumDepth: Int = 1000) -> JSONError? {
  let parser = JSONParser(maximumDepth: maximumDepth)
  do throws(JSONError) {
    _ = try parser.parse(bytes)
    return nil
  } catch {
    return error
  }
}

/// The reason why a text is not JSON; nil if it is.
func jsonError(_ text: String, maximumDepth: Int = 1000) -> JSONError? {
  jsonError(Array(text.utf8), maximumDepth: maximumDepth)
}

/// Parses text.
func parsed(_ text: String) throws(JSONError) -> JSONValue {
  try JSONParser().parse(Array(text.utf8))
}

extension CQL2 {
  /// A filter as a text says it, unless it is too large.
  static func parse(_ text: [UInt8]) throws(CQL2Error) -> FilterExpression {
    let filter = try read(text)
    _ = try normal(String(decoding: text, as: UTF8.self))
    return filter
  }

  /// A filter as a text says it, unless it is too large.
  static func parse(_ text: String) throws(CQL2Error) -> FilterExpression {
    try parse(Array(text.utf8))
  }
}

/// Bytes as text.
func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

/// A copy of a parsed value for comparisons. Numbers are compared by their bits and their text.
indirect enum Tree: Equatable {
  case null
  case bool(Bool)
  case number(UInt64, String)
  case string(String)
  case array([Tree])
  case object([String], [Tree])

  init(_ value: JSONValue) {
    switch value.kind {
    case .null: self = .null
    case .bool: self = .bool(value.bool ?? false)
    case .number: self = .number((value.number ?? .nan).bitPattern, text(value.text))
    case .string: self = .string(value.string ?? "")
    case .array: self = .array(value.elements.map { Tree($0) })
    case .object:
      self = .object(value.members.map { text($0.key) }, value.members.map { Tree($0.value) })
    }
  }
}
