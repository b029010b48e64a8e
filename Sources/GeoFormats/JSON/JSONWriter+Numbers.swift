extension JSONWriter {
  /// A number: the shortest text that reads back bit for bit; null if it isn't finite.
  public mutating func value(_ value: Double) {
    separate()
    write(atMost: JSONRoom.numberLength) { JSONWriter.print(value, at: $0) }
  }

  /// An angle in degrees, rounded to 8 decimals (a millimetre), which is much faster than
  /// ``value(_:)-(Double)`` for computed numbers; null if it isn't finite.
  public mutating func degrees(_ value: Double) {
    let scaled = value * 1e8
    guard scaled.magnitude < 1e15 else { return self.value(value) }
    separate()
    // Without SSE 4.1 rounded() is a call. What is a hair from a tie may be rounded away from zero.
    let nearest = UInt64(scaled.magnitude + 0.5)
    write(atMost: JSONRoom.numberLength) {
      JSONWriter.printDecimal(nearest, negative: value < 0 && nearest > 0, at: $0)
    }
  }

  /// An integer.
  public mutating func value(_ value: Int64) {
    separate()
    appendInteger(value)
  }

  /// An integer.
  public mutating func value(_ value: Int) { self.value(Int64(value)) }

  /// `{"latitude":…,"longitude":…}`, bit for bit.
  public mutating func coordinate(latitude: Double, longitude: Double) {
    beginObject()
    member("latitude", latitude)
    member("longitude", longitude)
    endObject()
  }

  /// `{"latitude":…,"longitude":…}`, rounded as by ``degrees(_:)``.
  public mutating func roundedCoordinate(latitude: Double, longitude: Double) {
    beginObject()
    key("latitude")
    degrees(latitude)
    key("longitude")
    degrees(longitude)
    endObject()
  }

  /// Writes an integer.
  @inline(__always)
  mutating func appendInteger(_ value: Int64) {
    write(atMost: JSONRoom.numberLength) { JSONWriter.print(Int(value), at: $0) }
  }
}
