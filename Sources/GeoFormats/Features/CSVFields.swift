/// The fields of one record of a table, found in one pass.
struct CSVFields {
  /// The range of a field's text in the record, without its quotes.
  struct Field {
    var start: Int
    var end: Int
    var isEscaped = false
  }

  private(set) var fields: [Field] = []

  mutating func split(_ record: UnsafeRawBufferPointer) throws(FeatureRefusal) {
    fields.removeAll(keepingCapacity: true)
    var index = 0
    while true {
      if index < record.count, record[index] == UInt8(ascii: "\"") {
        try splitQuoted(record, &index)
      } else {
        let start = index
        while index < record.count, record[index] != UInt8(ascii: ",") { index += 1 }
        fields.append(Field(start: start, end: index))
      }
      if index == record.count { return }
      index += 1  // the comma
    }
  }

  private mutating func splitQuoted(
    _ record: UnsafeRawBufferPointer, _ index: inout Int
  ) throws(FeatureRefusal) {
    var field = Field(start: index + 1, end: index + 1)
    while true {
      while field.end < record.count, record[field.end] != UInt8(ascii: "\"") { field.end += 1 }
      guard field.end < record.count else { throw FeatureRefusal("a quote is not closed") }
      index = field.end + 1
      guard index < record.count, record[index] == UInt8(ascii: "\"") else { break }
      field.isEscaped = true
      field.end += 2
    }
    fields.append(field)
    guard index == record.count || record[index] == UInt8(ascii: ",") else {
      throw FeatureRefusal("text follows the closing quote of field \(fields.count)")
    }
  }

  /// Calls `body` with the text of a field, with doubled quotes undone.
  static func withText<R, E: Error>(
    of field: Field, in record: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    let raw = UnsafeRawBufferPointer(rebasing: record[field.start..<field.end])
    guard field.isEscaped else { return try body(raw) }
    var text: [UInt8] = []
    text.reserveCapacity(raw.count)
    var index = 0
    while index < raw.count {
      text.append(raw[index])
      index += raw[index] == UInt8(ascii: "\"") ? 2 : 1
    }
    return try text.withUnsafeBufferPointer { (text) throws(E) in
      try body(UnsafeRawBufferPointer(text))
    }
  }
}
