/// A JSON value that keeps what the contract promises to keep: the order of keys and the text of
/// numbers.
public enum TestJSON: Equatable, Sendable {
  /// null.
  case null
  /// true or false.
  case bool(Bool)
  /// A number, as the text it was written as.
  case number(String)
  /// A string, unescaped.
  case string(String)
  /// An array.
  case array([TestJSON])
  /// An object, members in the order in which they were written.
  case object([Member])

  /// One member of an object.
  public struct Member: Equatable, Sendable {
    /// The key, unescaped.
    public let key: String
    /// The value.
    public let value: TestJSON

    /// A member.
    public init(_ key: String, _ value: TestJSON) {
      self.key = key
      self.value = value
    }
  }

  /// Where and why text isn't JSON.
  public struct Malformed: Error, Equatable, Sendable {
    /// The byte at which reading stopped.
    public let offset: Int
    /// What was expected there.
    public let expected: String
  }

  /// Reads a whole JSON text.
  public init(parsing bytes: some Sequence<UInt8>) throws(Malformed) {
    var parser = TestJSONParser(bytes: Array(bytes))
    self = try parser.document()
  }

  /// Reads a whole JSON text.
  public init(parsing text: String) throws(Malformed) { try self.init(parsing: text.utf8) }

  /// The value of a member, nil if this is no object or has no such member.
  public subscript(key: String) -> TestJSON? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.key == key }?.value
  }

  /// The element of an array, nil if this is no array or is shorter.
  public subscript(index: Int) -> TestJSON? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// The elements of an array, nil if this is none.
  public var array: [TestJSON]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members of an object, nil if this is none.
  public var members: [Member]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// A string's text.
  public var string: String? { if case .string(let text) = self { text } else { nil } }

  /// A number's value.
  public var double: Double? { if case .number(let text) = self { Double(text) } else { nil } }

  /// A number's value, if it is written as an integer.
  public var int: Int? { if case .number(let text) = self { Int(text) } else { nil } }

  /// A boolean's value.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// Whether this is null.
  public var isNull: Bool { self == .null }

  /// The value as compact JSON; numbers as they were written.
  public var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let text): text
    case .string(let text): TestJSON.quoted(text)
    case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { TestJSON.quoted($0.key) + ":" + $0.value.text }.joined(separator: ",")
        + "}"
    }
  }

  /// Text as a JSON string with its quotes.
  public static func quoted(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case _ where scalar.value < 0x20:
        let hex = String(scalar.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }
}

extension TestJSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A number.
  public init(integerLiteral value: Int) { self = .number(String(value)) }
  /// A number.
  public init(floatLiteral value: Double) { self = .init(value) }
  /// A boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// An array.
  public init(arrayLiteral elements: TestJSON...) { self = .array(elements) }
  /// An object.
  public init(dictionaryLiteral elements: (String, TestJSON)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
  /// A finite number.
  public init(_ value: Double) {
    let text = String(value)
    self = .number(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }
}
