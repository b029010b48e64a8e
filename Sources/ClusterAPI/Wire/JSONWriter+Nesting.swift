import GeoFormats

/// Objects and arrays that are closed where they were opened.
extension JSONWriter {
  /// Writes an object with the members that `body` writes.
  @inline(__always)
  mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
    beginObject()
    try body(&self)
    endObject()
  }

  /// Writes a member whose value is an object.
  @inline(__always)
  mutating func object(_ name: StaticString, _ body: (inout JSONWriter) throws -> Void) rethrows {
    key(name)
    try object(body)
  }

  /// Writes an array with the elements that `body` writes.
  @inline(__always)
  mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows {
    beginArray()
    try body(&self)
    endArray()
  }

  /// Writes a member whose value is an array.
  @inline(__always)
  mutating func array(_ name: StaticString, _ body: (inout JSONWriter) throws -> Void) rethrows {
    key(name)
    try array(body)
  }
}
