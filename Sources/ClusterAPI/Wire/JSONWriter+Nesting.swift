import GeoFormats

/// Objects and arrays that are closed where they were opened.
extension JSONWriter {
  /// Writes an object with the members that `body` writes, as the value of a member if there is a name.
  @inline(__always)
  mutating func object(
    _ name: StaticString? = nil, _ body: (inout JSONWriter) throws -> Void
  ) rethrows {
    if let name { key(name) }
    beginObject()
    try body(&self)
    endObject()
  }

  /// Writes an array with the elements that `body` writes, as the value of a member if there is a name.
  @inline(__always)
  mutating func array(
    _ name: StaticString? = nil, _ body: (inout JSONWriter) throws -> Void
  ) rethrows {
    if let name { key(name) }
    beginArray()
    try body(&self)
    endArray()
  }
}
