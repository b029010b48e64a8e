internal import ClusterCore

extension CQL2JSONReader {
  /// The time of `{"date": …}` or `{"timestamp": …}`; nil for anything else.
  static func time(_ json: JSONValue, at pointer: String) throws(CQL2Error) -> TimeExtent? {
    for (key, value) in [("date", json["date"]), ("timestamp", json["timestamp"])] {
      guard let value else { continue }
      guard let text = value.stringBytes, let time = DateTime.extent(text),
        (text.count == DateTime.dateLength) == (key == "date")
      else {
        throw .json(
          pointer: "\(pointer)/\(key)",
          detail: key == "date"
            ? "expected a date such as 2026-07-01"
            : "expected a date-time such as 2026-07-01T12:00:00Z")
      }
      return time
    }
    return nil
  }

  /// An operand of a temporal function.
  static func span(_ argument: CQL2JSONArguments.Element) throws(CQL2Error) -> TimeSpan {
    let (json, pointer) = (argument.value, argument.pointer)
    if let name = property(json) { return TimeSpan(.property(name)) }
    if let time = try time(json, at: pointer) { return TimeSpan(.time(time)) }
    guard let interval = json["interval"] else {
      throw .json(
        pointer: pointer, detail: "expected a property, a date, a timestamp or an interval")
    }
    let ends = CQL2JSONArguments(interval, at: "\(pointer)/interval")
    try ends.check(2)
    return try TimeSpan(
      checking: try end(ends[0], isStart: true), try end(ends[1], isStart: false))
  }

  private static func end(
    _ argument: CQL2JSONArguments.Element, isStart: Bool
  ) throws(CQL2Error) -> TimeSpan.End {
    if let name = property(argument.value) { return .property(name) }
    guard let text = argument.value.stringBytes,
      let end = TimeSpan.End(Array(text), isStart: isStart)
    else {
      throw .json(
        pointer: argument.pointer,
        detail: "an end of an interval is a property, a date, a date-time or ..")
    }
    return end
  }
}
