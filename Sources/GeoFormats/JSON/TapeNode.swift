internal import CSimdJSON
import Glibc

/// A node of a parser's tape.
///
/// Unsafe: it is a bare pointer, which is valid until the parser parses again or is freed. ``JSONValue``
/// keeps the parser alive; within this module, the parser's owner does.
struct TapeNode {
  let base: UnsafePointer<csj_node>

  var kind: JSONValue.Kind {
    switch base.pointee.kind {
    case UInt32(CSJ_NULL): .null
    case UInt32(CSJ_NUMBER): .number
    case UInt32(CSJ_STRING): .string
    case UInt32(CSJ_ARRAY): .array
    case UInt32(CSJ_OBJECT): .object
    default: .bool
    }
  }

  var isTrue: Bool { base.pointee.kind == UInt32(CSJ_TRUE) }

  /// The number. Only for number nodes.
  var number: Double { base.pointee.number }

  /// The unescaped bytes. Only for string and key nodes.
  var string: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base.pointee.string, count: Int(base.pointee.length))
  }

  /// Whether the node is a string or key with a value.
  @inline(__always)
  func isString(_ text: StaticString) -> Bool {
    let kind = base.pointee.kind
    guard kind == UInt32(CSJ_STRING) || kind == UInt32(CSJ_KEY) else { return false }
    return text.withUTF8Buffer { equalBytes(string, UnsafeRawBufferPointer($0)) }
  }

  /// The text of the value as it was sent. Not for key nodes.
  var text: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base.pointee.text, count: Int(base.pointee.text_length))
  }

  /// The number of elements or members. Only for arrays and objects.
  var count: Int { Int(base.pointee.length) }

  /// The node after this one and everything in it.
  var next: TapeNode { TapeNode(base: base + Int(base.pointee.span)) }

  /// The first node in this one; equal to ``next`` if there is none.
  var firstChild: TapeNode { TapeNode(base: base + 1) }

  /// The nodes directly in this one: elements, or keys and values by turns. Only for arrays and objects.
  struct Children: Sequence, IteratorProtocol {
    fileprivate var cursor: TapeNode
    fileprivate let end: TapeNode

    @inline(__always)
    mutating func next() -> TapeNode? {
      guard cursor.base < end.base else { return nil }
      defer { cursor = cursor.next }
      return cursor
    }
  }

  /// See ``Children``.
  var children: Children { Children(cursor: firstChild, end: next) }

  /// None of the children.
  var noChildren: Children { Children(cursor: firstChild, end: firstChild) }

  /// The value of the last member with an unescaped name; nil if there is none or the node is not an
  /// object.
  func member(_ name: StaticString) -> TapeNode? {
    name.withUTF8Buffer { member(UnsafeRawBufferPointer($0)) }
  }

  /// The value of the last member with an unescaped name in UTF-8; nil if there is none or the node is
  /// not an object.
  func member(_ name: UnsafeRawBufferPointer) -> TapeNode? {
    guard kind == .object else { return nil }
    var found: TapeNode?
    forEachMember { key, value in
      if equalBytes(key.string, name) { found = value }
    }
    return found
  }

  /// Calls `body` with the key and the value of each member, in order. Only for objects.
  @inline(__always)
  func forEachMember(_ body: (_ key: TapeNode, _ value: TapeNode) -> Void) {
    let end = next
    var key = firstChild
    while key.base < end.base {
      let value = key.next
      body(key, value)
      key = value.next
    }
  }
}

func equalBytes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
  guard a.count == b.count else { return false }
  guard let p = a.baseAddress, let q = b.baseAddress else { return true }
  return memcmp(p, q, a.count) == 0
}
