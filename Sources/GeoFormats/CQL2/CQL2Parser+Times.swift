internal import ClusterCore

extension CQL2Parser {
  /// A date or date-time in single quotes.
  mutating func time(isDate: Bool) throws(CQL2Error) -> TimeExtent {
    guard case .string(let text) = token.kind, let time = DateTime.extent(text),
      (text.count == DateTime.dateLength) == isDate
    else {
      throw unexpected(
        isDate ? "a date such as '2026-07-01'" : "a date-time such as '2026-07-01T12:00:00Z'")
    }
    try advance()
    return time
  }

  /// An operand of a temporal function: a property, DATE, TIMESTAMP or INTERVAL.
  mutating func span() throws(CQL2Error) -> TimeSpan {
    let (first, expected) = (token, "a property, DATE(…), TIMESTAMP(…) or INTERVAL(…)")
    switch token.kind {
    case .quotedName(let name):
      try advance()
      return TimeSpan(.property(name))
    case .name(let name):
      try advance()
      guard token.kind == .leftParenthesis else { return TimeSpan(.property(name)) }
      let function = CQL2Function(name)
      guard function == .date || function == .timestamp || function == .interval else {
        throw tokenizer.failure(at: first.start, "expected \(expected)")
      }
      try advance()
      let span: TimeSpan
      if function == .interval {
        let start = try end(isStart: true)
        try expect(.comma, "a comma")
        span = try TimeSpan(checking: start, try end(isStart: false))
      } else {
        span = TimeSpan(.time(try time(isDate: function == .date)))
      }
      try expect(.rightParenthesis, ")")
      return span
    default: throw unexpected(expected)
    }
  }

  /// An end of an interval.
  private mutating func end(isStart: Bool) throws(CQL2Error) -> TimeSpan.End {
    let end: TimeSpan.End
    switch token.kind {
    case .name(let name), .quotedName(let name): end = .property(name)
    case .string(let text):
      guard let time = TimeSpan.End(text, isStart: isStart) else { fallthrough }
      end = time
    default: throw unexpected("a property, or a date, a date-time or .. in single quotes")
    }
    try advance()
    return end
  }
}

extension TimeSpan {
  /// Creates an interval; 422 if it ends before it begins.
  init(checking start: End, _ end: End) throws(CQL2Error) {
    self.init(start: start, end: end)
    if case .time(let start) = start, case .time(let end) = end, start.first > end.last {
      throw .tooLarge(detail: "an interval ends before it begins")
    }
  }
}

extension TimeSpan.End {
  /// The end that a text is: a date, a date-time, or `..`.
  init?(_ text: [UInt8], isStart: Bool) {
    if text == Array("..".utf8) {
      self = .time(isStart ? .past : .future)
    } else if let time = DateTime.extent(text) {
      self = .time(time)
    } else {
      return nil
    }
  }
}
