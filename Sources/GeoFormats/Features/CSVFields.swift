/// The fields of one record of a table, found in one pass.
struct CSVFields {
  /// The range of a field's text in the record, without its quotes.
  struct Field {
    var start: Int
    var end: Int
    /// Whether the text contains doubled quotes.
    var isEscaped: Bool
  }

  private(set) var fields: [Field] = []

  /// Finds the fields. Returns what is wrong with the record, or nil.
  mutating func split(_ record: UnsafeRawBufferPointer) -> String? {
    fields.removeAll(keepingCapacity: true)
    var index = 0
    while true {
      if index < record.count, record[index] == UInt8(ascii: "\"") {
        guard let problem = splitQuoted(record, &index) else { break }
        if !problem.isEmpty { return problem }
      } else {
        let start = index
        while index < record.count, record[index] != UInt8(ascii: ",") { index += 1 }
        fields.append(Field(start: start, end: index, isEscaped: false))
        if index == record.count { break }
        index += 1
      }
    }
    return nil
  }

  /// Skips a quoted field and the comma after it. Returns nil at the end of the record, otherwise what is
  /// wrong, or an empty string.
  private mutating func splitQuoted(
    _ record: UnsafeRawBufferPointer, _ index: inout Int
  ) -> String? {
    let start = index + 1
    var isEscaped = false
    index = start
    while true {
      while index < record.count, record[index] != UInt8(ascii: "\"") { index += 1 }
      guard index < record.count else { return "a quote is not closed" }
      guard index + 1 < record.count, record[index + 1] == UInt8(ascii: "\"") else { break }
      isEscaped = true
      index += 2
    }
    fields.append(Field(start: start, end: index, isEscaped: isEscaped))
    index += 1
    guard index < record.count else { return nil }
    guard record[index] == UInt8(ascii: ",") else {
      return "text follows the closing quote of field \(fields.count)"
    }
    index += 1
    return ""
  }

  /// Calls `body` with the text of a field, with doubled quotes undone.
  static func withText<R>(
    of field: Field, in record: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> R
  ) -> R {
    let raw = UnsafeRawBufferPointer(rebasing: record[field.start..<field.end])
    guard field.isEscaped else { return body(raw) }
    var text: [UInt8] = []
    text.reserveCapacity(raw.count)
    var index = 0
    while index < raw.count {
      text.append(raw[index])
      index += raw[index] == UInt8(ascii: "\"") ? 2 : 1
    }
    return text.withUnsafeBytes(body)
  }
}
