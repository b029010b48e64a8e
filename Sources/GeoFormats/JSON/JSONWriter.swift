/// Writes JSON into one growing array of bytes, without white space.
///
/// Commas come by themselves: one is due unless the last byte opens an array or object or ends a
/// name. Nothing else is checked; calls must nest properly. Static names are copied as they are and
/// must not need escapes. The hot path of every answer: no allocation but the array's growth.
public struct JSONWriter {
  /// What was written so far.
  public var bytes: [UInt8] = []

  /// A writer with room for some bytes.
  public init(reserving capacity: Int = 1024) { bytes.reserveCapacity(capacity) }

  /// Forgets what was written and keeps the memory.
  public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Writes the comma that is due before another element or name.
  @inline(__always)
  mutating func separate() {
    guard let last = bytes.last else { return }
    switch last {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"): return
    default: bytes.append(UInt8(ascii: ","))
    }
  }

  @inline(__always)
  mutating func literal(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// `{`
  public mutating func beginObject() {
    separate()
    bytes.append(UInt8(ascii: "{"))
  }

  /// `}`
  public mutating func endObject() { bytes.append(UInt8(ascii: "}")) }

  /// `[`
  public mutating func beginArray() {
    separate()
    bytes.append(UInt8(ascii: "["))
  }

  /// `]`
  public mutating func endArray() { bytes.append(UInt8(ascii: "]")) }

  /// A line feed, for sequences of JSON texts; no comma follows it.
  public mutating func newline() { bytes.append(UInt8(ascii: "\n")) }

  /// A member's name that needs no escapes.
  public mutating func key(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    literal(name)
    literal("\":")
  }

  /// A member's name.
  @_disfavoredOverload  // a literal is static, and takes the shorter way
  public mutating func key(_ name: String) {
    value(name)
    bytes.append(UInt8(ascii: ":"))
  }

  /// A member's name, in UTF-8.
  public mutating func keyUTF8(_ name: UnsafeRawBufferPointer) {
    stringUTF8(name)
    bytes.append(UInt8(ascii: ":"))
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
    bytes.append(contentsOf: json)
  }

  /// A JSON value as it is.
  public mutating func raw(_ json: [UInt8]) { json.withUnsafeBytes { raw($0) } }
}
