/// Writes JSON into one growing array of bytes, without white space.
///
/// Commas come by themselves: one is due unless the last byte opens an array or object or ends a
/// name. Nothing else is checked; calls must nest properly. Static names are copied as they are and
/// must not need escapes. The hot path of every answer: no allocation but the array's growth.
public struct JSONWriter {
  // The array is as long as its memory and `used` bytes of it are written: appending one by one
  // would cost several times as much as the bytes themselves.
  @usableFromInline var storage: [UInt8]
  @usableFromInline var used = 0

  /// How many bytes were written so far.
  public var count: Int { used }

  /// A writer with room for some bytes.
  public init(reserving capacity: Int = 1024) {
    storage = [UInt8](repeating: 0, count: max(capacity, 64))
  }

  /// What was written so far; a copy. ``take()`` makes none.
  public var bytes: [UInt8] { Array(storage[..<used]) }

  /// Hands over what was written and begins anew.
  public mutating func take() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &storage)
    taken.removeLast(taken.count - used)
    used = 0
    return taken
  }

  /// Calls `body` with what was written so far.
  public func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try storage.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<used])) }
  }

  /// Forgets what was written and keeps the memory.
  public mutating func removeAll() { used = 0 }

  /// Makes room for `length` bytes, lets `body` write there and adds as many as it says. The
  /// pointer is good for `length` bytes: callers keep to that.
  @inlinable @inline(__always)
  mutating func write(atMost length: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
    if storage.count - used < length { grow(by: length) }
    let start = used
    used += storage.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.map { body($0 + start) } ?? 0
    }
  }

  @inline(never) @usableFromInline
  mutating func grow(by length: Int) {
    let wanted = max(used + length, storage.count * 2, 64)
    storage.append(contentsOf: repeatElement(0, count: wanted - storage.count))
  }

  /// Whether a comma is due before another element or name.
  @inlinable @inline(__always)
  var commaIsDue: Bool {
    guard used > 0 else { return false }
    switch storage[used - 1] {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"): return false
    default: return true
    }
  }

  /// Writes the comma that is due before another element or name.
  @inline(__always)
  mutating func separate() { if commaIsDue { append(UInt8(ascii: ",")) } }

  /// Writes a byte as it is.
  @inline(__always)
  mutating func append(_ byte: UInt8) {
    write(atMost: 1) { out in
      out.pointee = byte
      return 1
    }
  }

  /// Writes bytes as they are.
  @inline(__always)
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    write(atMost: bytes.count) { out in
      UnsafeMutableRawBufferPointer(start: out, count: bytes.count).copyMemory(from: bytes)
      return bytes.count
    }
  }

  @inline(__always)
  mutating func literal(_ text: StaticString) {
    text.withUTF8Buffer { append(UnsafeRawBufferPointer($0)) }
  }

  /// `{`
  public mutating func beginObject() {
    separate()
    append(UInt8(ascii: "{"))
  }

  /// `}`
  public mutating func endObject() { append(UInt8(ascii: "}")) }

  /// `[`
  public mutating func beginArray() {
    separate()
    append(UInt8(ascii: "["))
  }

  /// `]`
  public mutating func endArray() { append(UInt8(ascii: "]")) }

  /// A line feed, for sequences of JSON texts; no comma follows it.
  public mutating func newline() { append(UInt8(ascii: "\n")) }

  /// A member's name that needs no escapes.
  public mutating func key(_ name: StaticString) {
    let comma = commaIsDue
    name.withUTF8Buffer { name in
      write(atMost: name.count + 4) { out in
        // A comma that isn't due is written over.
        out.pointee = UInt8(ascii: ",")
        var end = out + (comma ? 1 : 0)
        end.pointee = UInt8(ascii: "\"")
        end += 1
        if let source = name.baseAddress { end.update(from: source, count: name.count) }
        end += name.count
        end[0] = UInt8(ascii: "\"")
        end[1] = UInt8(ascii: ":")
        return end + 2 - out
      }
    }
  }

  /// A member's name.
  @_disfavoredOverload  // a literal is static, and takes the shorter way
  public mutating func key(_ name: String) {
    value(name)
    append(UInt8(ascii: ":"))
  }

  /// A member's name, in UTF-8.
  public mutating func keyUTF8(_ name: UnsafeRawBufferPointer) {
    stringUTF8(name)
    append(UInt8(ascii: ":"))
  }

  /// `true` or `false`
  public mutating func value(_ value: Bool) {
    separate()
    if value { literal("true") } else { literal("false") }
  }

  /// `null`
  public mutating func null() {
    separate()
    literal("null")
  }

  /// A JSON value as it is.
  public mutating func raw(_ json: UnsafeRawBufferPointer) {
    separate()
    append(json)
  }

  /// A JSON value as it is.
  public mutating func raw(_ json: [UInt8]) { json.withUnsafeBytes { raw($0) } }
}
