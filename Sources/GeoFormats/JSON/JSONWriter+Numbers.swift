extension JSONWriter {
  /// Writes a number: the shortest text that reads back bit for bit, or null if it is not finite.
  public mutating func value(_ value: Double) {
    separate()
    write(atMost: JSONRoom.numberLength) { JSONWriter.print(value, at: $0) }
  }

  /// Writes an integer.
  public mutating func value(_ value: Int64) {
    separate()
    appendInteger(value)
  }

  /// Writes an integer.
  public mutating func value(_ value: Int) { self.value(Int64(value)) }

  /// Writes `{"latitude":…,"longitude":…}`, bit for bit.
  public mutating func coordinate(latitude: Double, longitude: Double) {
    beginObject()
    member("latitude", latitude)
    member("longitude", longitude)
    endObject()
  }

  /// Writes an integer.
  @inline(__always)
  mutating func appendInteger(_ value: Int64) {
    write(atMost: JSONRoom.numberLength) { JSONWriter.print(Int(value), at: $0) }
  }
}
