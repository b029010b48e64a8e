/// A value of a parsed document: a cheap view into the parser's memory.
///
/// It keeps its ``JSONParser`` alive and holds until that parser parses again; using it later is a
/// mistake of the program, which debug builds catch.
public struct JSONValue {
  /// What a value is.
  public enum Kind: Sendable { case null, bool, number, string, array, object }

  private let owner: JSONParser
  private let generation: Int
  private let storedNode: TapeNode

  init(owner: JSONParser, node: TapeNode) {
    self.owner = owner
    self.generation = owner.generation
    self.storedNode = node
  }

  private var node: TapeNode {
    assert(generation == owner.generation, "a JSONValue outlived its parse")
    return storedNode
  }

  /// What the value is.
  public var kind: Kind { node.kind }

  /// The value of `true` or `false`.
  public var bool: Bool? { kind == .bool ? node.isTrue : nil }

  /// The value of a number, rounded to the nearest double; finite.
  public var number: Double? { kind == .number ? node.number : nil }

  /// The value of a string, unescaped.
  public var string: String? { stringBytes.map { String(decoding: $0, as: UTF8.self) } }

  /// The value of a string, unescaped, in UTF-8; may hold U+0000.
  public var stringBytes: UnsafeRawBufferPointer? { kind == .string ? node.string : nil }

  /// The value's JSON text as it was sent, white space within arrays and objects included.
  public var text: UnsafeRawBufferPointer { node.text }

  /// How many elements or members it has; 0 if it is neither array nor object.
  public var count: Int { kind == .array || kind == .object ? node.count : 0 }

  /// The elements of an array; empty if it isn't one.
  public var elements: Elements {
    let node = node
    return Elements(
      owner: owner, cursor: node.firstChild, end: kind == .array ? node.next : node.firstChild)
  }

  /// The members of an object in the order in which they were sent, duplicates included; empty if
  /// it isn't one.
  public var members: Members {
    let node = node
    return Members(
      owner: owner, cursor: node.firstChild, end: kind == .object ? node.next : node.firstChild)
  }

  /// The member of an object with a name, the last one if there are several; nil also if this is
  /// no object. Linear in the object's members.
  public subscript(_ name: StaticString) -> JSONValue? {
    node.member(name).map { JSONValue(owner: owner, node: $0) }
  }

  /// As the subscript by a static name, by the name's UTF-8.
  public subscript(utf8 name: UnsafeRawBufferPointer) -> JSONValue? {
    node.member(name).map { JSONValue(owner: owner, node: $0) }
  }

  /// The elements of an array.
  public struct Elements: Sequence, IteratorProtocol {
    fileprivate let owner: JSONParser
    fileprivate var cursor: TapeNode
    fileprivate let end: TapeNode

    /// The next element.
    public mutating func next() -> JSONValue? {
      guard cursor.base < end.base else { return nil }
      defer { cursor = cursor.next }
      return JSONValue(owner: owner, node: cursor)
    }
  }

  /// The members of an object.
  public struct Members: Sequence, IteratorProtocol {
    fileprivate let owner: JSONParser
    fileprivate var cursor: TapeNode
    fileprivate let end: TapeNode

    /// The next member: its name, unescaped, in UTF-8, and its value.
    public mutating func next() -> (key: UnsafeRawBufferPointer, value: JSONValue)? {
      guard cursor.base < end.base else { return nil }
      let value = cursor.next
      defer { cursor = value.next }
      return (cursor.string, JSONValue(owner: owner, node: value))
    }
  }
}
