/// A value of a parsed document. It points into the memory of its ``JSONParser`` and keeps that alive.
///
/// It is valid until the parser parses again. Debug builds trap when it is used later.
public struct JSONValue {
  /// The kind of a value.
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

  /// The kind of the value.
  public var kind: Kind { node.kind }

  /// The value of `true` or `false`; nil for other kinds.
  public var bool: Bool? { kind == .bool ? node.isTrue : nil }

  /// The value of a number, rounded to the nearest double, which is finite; nil for other kinds.
  public var number: Double? { kind == .number ? node.number : nil }

  /// The value of a string, unescaped; nil for other kinds.
  public var string: String? { stringBytes.map { String(decoding: $0, as: UTF8.self) } }

  /// The value of a string, unescaped, in UTF-8; nil for other kinds. It may contain U+0000.
  public var stringBytes: UnsafeRawBufferPointer? { kind == .string ? node.string : nil }

  /// The JSON text of the value as it was sent, including white space within arrays and objects.
  public var text: UnsafeRawBufferPointer { node.text }

  /// The number of elements or members; 0 if the value is neither an array nor an object.
  public var count: Int { kind == .array || kind == .object ? node.count : 0 }

  /// The elements of an array; empty for other kinds.
  public var elements: Elements {
    Elements(owner: owner, nodes: kind == .array ? node.children : node.noChildren)
  }

  /// The members of an object in the order in which they were sent, including duplicates; empty for other
  /// kinds.
  public var members: Members {
    Members(owner: owner, nodes: kind == .object ? node.children : node.noChildren)
  }

  /// The last member of an object with a name; nil if there is none or the value is not an object.
  /// Linear in the members.
  public subscript(_ name: StaticString) -> JSONValue? {
    node.member(name).map { JSONValue(owner: owner, node: $0) }
  }

  /// The last member of an object with a name in UTF-8; nil if there is none or the value is not an
  /// object. Linear in the members.
  public subscript(utf8 name: UnsafeRawBufferPointer) -> JSONValue? {
    node.member(name).map { JSONValue(owner: owner, node: $0) }
  }

  /// The elements of an array.
  public struct Elements: Sequence, IteratorProtocol {
    fileprivate let owner: JSONParser
    fileprivate var nodes: TapeNode.Children

    /// The next element.
    public mutating func next() -> JSONValue? {
      nodes.next().map { JSONValue(owner: owner, node: $0) }
    }
  }

  /// The members of an object.
  public struct Members: Sequence, IteratorProtocol {
    fileprivate let owner: JSONParser
    fileprivate var nodes: TapeNode.Children

    /// The next member: its name, unescaped in UTF-8, and its value.
    public mutating func next() -> (key: UnsafeRawBufferPointer, value: JSONValue)? {
      guard let key = nodes.next(), let value = nodes.next() else { return nil }
      return (key.string, JSONValue(owner: owner, node: value))
    }
  }
}
