/// Writes JSON without white space into a growing array of bytes.
///
/// It adds commas: one is due unless the last byte opens an array or object or ends a name. It checks
/// nothing else, so calls must nest properly. Static names are copied verbatim and must not need
/// escapes. Every answer is written through it; it allocates only when the array grows.
public struct JSONWriter {
  // The array is as long as its memory, and `used` bytes of it are written, because appending byte by byte
  // would cost several times as much. The others aren't zeroed, as nobody reads them.
  @usableFromInline var storage: [UInt8]
  @usableFromInline var used = 0

  /// The number of bytes written so far.
  public var count: Int { used }

  /// Creates a writer with memory for `capacity` bytes.
  public init(reserving capacity: Int = 1024) {
    storage = JSONWriter.memory(max(capacity, 64))
  }

  /// An array of bytes that are anything. It is good for memory that is written before it is read.
  private static func memory(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { $1 = count }
  }

  /// A copy of the bytes written so far. ``take()`` avoids the copy.
  public var bytes: [UInt8] { Array(storage[..<used]) }

  /// Returns the bytes written so far and starts over.
  public mutating func take() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &storage)
    taken.removeLast(taken.count - used)
    used = 0
    return taken
  }

  /// Calls `body` with the bytes written so far.
  public func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try storage.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<used])) }
  }

  /// Removes everything and keeps the memory.
  public mutating func removeAll() { used = 0 }

  /// Removes what was written after so many bytes.
  mutating func removeAll(from count: Int) { used = count }

  /// Reserves `length` bytes, calls `body` to write there, and keeps as many bytes as it returns. `body`
  /// must not write more than `length` bytes; only debug builds check its result.
  @inlinable @inline(__always)
  mutating func write(atMost length: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
    if storage.count - used < length { grow(by: length) }
    let start = used
    used += storage.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.map { body($0 + start) } ?? 0
    }
    assert(used - start <= length, "more JSON than was reserved")
  }

  @inline(never) @usableFromInline
  mutating func grow(by length: Int) {
    var larger = JSONWriter.memory(max(used + length, storage.count * 2, 64))
    larger.withUnsafeMutableBytes { larger in
      storage.withUnsafeBytes {
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<used]))
      }
    }
    storage = larger
  }

  /// Whether a comma is due before another element or name.
  @inlinable @inline(__always)
  public var commaIsDue: Bool {
    guard used > 0 else { return false }
    switch storage[used - 1] {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"): return false
    default: return true
    }
  }

  /// Writes the comma that is due before another element or name.
  @inline(__always)
  mutating func separate() { if commaIsDue { append(UInt8(ascii: ",")) } }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    write(atMost: 1) { out in
      out.pointee = byte
      return 1
    }
  }

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

  /// Writes `{`.
  public mutating func beginObject() {
    separate()
    append(UInt8(ascii: "{"))
  }

  /// Writes `}`.
  public mutating func endObject() { append(UInt8(ascii: "}")) }

  /// Writes `[`.
  public mutating func beginArray() {
    separate()
    append(UInt8(ascii: "["))
  }

  /// Writes `]`.
  public mutating func endArray() { append(UInt8(ascii: "]")) }

  /// Writes a line feed, after which no comma is due, for sequences of JSON texts.
  public mutating func newline() { append(UInt8(ascii: "\n")) }

  /// Writes a member's name that needs no escapes.
  public mutating func key(_ name: StaticString) {
    let comma = commaIsDue
    name.withUTF8Buffer { name in
      write(atMost: name.count + 4) { out in
        // A comma that is not due is overwritten.
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

  /// Writes a member's name in UTF-8.
  public mutating func keyUTF8(_ name: UnsafeRawBufferPointer) {
    stringUTF8(name)
    append(UInt8(ascii: ":"))
  }

  /// Writes `true` or `false`.
  public mutating func value(_ value: Bool) {
    separate()
    if value { literal("true") } else { literal("false") }
  }

  /// Writes a number: the shortest text that reads back bit for bit, but 0 for −0, or null if it is not finite.
  public mutating func value(_ value: Double) {
    separate()
    write(atMost: JSONRoom.numberLength) { JSONWriter.encode(value, at: $0) }
  }

  /// Writes an integer.
  public mutating func value(_ value: Int64) {
    separate()
    appendInteger(value)
  }

  /// Writes an integer.
  public mutating func value(_ value: Int) { self.value(Int64(value)) }

  /// Writes `{"latitude":…,"longitude":…}`.
  public mutating func coordinate(latitude: Double, longitude: Double) {
    beginObject()
    member("latitude", latitude)
    member("longitude", longitude)
    endObject()
  }

  @inline(__always)
  mutating func appendInteger(_ value: Int64) {
    write(atMost: JSONRoom.numberLength) { JSONWriter.encode(Int(value), at: $0) }
  }

  /// Writes `null`.
  public mutating func null() {
    separate()
    literal("null")
  }

  /// Writes a JSON value verbatim.
  public mutating func raw(_ json: UnsafeRawBufferPointer) {
    separate()
    append(json)
  }

  /// Writes a JSON value verbatim.
  public mutating func raw(_ json: [UInt8]) { json.withUnsafeBytes { raw($0) } }
}
