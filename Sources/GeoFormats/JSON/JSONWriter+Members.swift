extension JSONWriter {
  /// A member with a number; null if it isn't finite.
  public mutating func member(_ name: StaticString, _ value: Double) {
    key(name)
    self.value(value)
  }

  /// A member with an integer.
  public mutating func member(_ name: StaticString, _ value: Int) {
    key(name)
    self.value(value)
  }

  /// A member with an integer.
  public mutating func member(_ name: StaticString, _ value: Int64) {
    key(name)
    self.value(value)
  }

  /// A member with a boolean.
  public mutating func member(_ name: StaticString, _ value: Bool) {
    key(name)
    self.value(value)
  }

  /// A member with a string.
  @_disfavoredOverload
  public mutating func member(_ name: StaticString, _ value: String) {
    key(name)
    self.value(value)
  }

  /// A member with a string known at compile time.
  public mutating func member(_ name: StaticString, _ value: StaticString) {
    key(name)
    self.value(value)
  }

  /// A member with a string, or null.
  @_disfavoredOverload
  public mutating func member(_ name: StaticString, _ value: String?) {
    key(name)
    if let value { self.value(value) } else { null() }
  }

  /// A member with a number, or null.
  @_disfavoredOverload
  public mutating func member(_ name: StaticString, _ value: Double?) {
    key(name)
    if let value { self.value(value) } else { null() }
  }

  /// A member with a JSON value as it is.
  public mutating func member(_ name: StaticString, raw json: UnsafeRawBufferPointer) {
    key(name)
    raw(json)
  }

  /// A member with a string from valid UTF-8.
  public mutating func member(_ name: StaticString, utf8: UnsafeRawBufferPointer) {
    key(name)
    stringUTF8(utf8)
  }

  /// A member with null.
  public mutating func nullMember(_ name: StaticString) {
    key(name)
    null()
  }
}
