extension JSONWriter {
  /// Writes a member with a number, or null if it is not finite.
  public mutating func member(_ name: StaticString, _ value: Double) {
    key(name)
    self.value(value)
  }

  /// Writes a member with an integer.
  public mutating func member(_ name: StaticString, _ value: Int) {
    key(name)
    self.value(value)
  }

  /// Writes a member with an integer.
  public mutating func member(_ name: StaticString, _ value: Int64) {
    key(name)
    self.value(value)
  }

  /// Writes a member with a boolean.
  public mutating func member(_ name: StaticString, _ value: Bool) {
    key(name)
    self.value(value)
  }

  /// Writes a member with a string known at compile time.
  public mutating func member(_ name: StaticString, _ value: StaticString) {
    key(name)
    self.value(value)
  }

  /// Writes a member with a string, or null.
  @_disfavoredOverload
  public mutating func member(_ name: StaticString, _ value: String?) {
    key(name)
    if let value { self.value(value) } else { null() }
  }

  /// Writes a member with a JSON value, verbatim.
  public mutating func member(_ name: StaticString, raw json: UnsafeRawBufferPointer) {
    key(name)
    raw(json)
  }
}
