/// The fields of one record of a table, found in one pass.
struct CSVFields {
  /// The range of a field's text in the record, without its quotes.
  struct Field {
    var start: Int
    var end: Int
    var isQuoted = false
    var isEscaped = false
  }

  /// The reason why a record can't be parted.
  enum Fault {
    /// The quote isn't closed that opens in a field.
    case unclosed(Int)
    case textAfterQuote(Int)
    /// It has so many fields.
    case count(Int)
    /// A quote isn't closed within so many bytes.
    case endless(Int)

    /// The message for the client.
    ///
    /// - Parameters:
    ///   - columns: the fields that a record is to have.
    ///   - name: how messages name a field.
    func detail(columns: Int, _ name: (Int) -> String) -> String {
      switch self {
      case .unclosed(let field): "the quote that opens in \(name(field)) is not closed"
      case .textAfterQuote(let field): "text follows the closing quote of \(name(field))"
      case .count(let count): "has \(count) fields, but the header has \(columns)"
      case .endless(let limit): "a quote is not closed within \(limit) bytes"
      }
    }
  }

  let separator: UInt8
  /// Whether a blank behind a separator isn't part of the field.
  let skipsBlanks: Bool
  private(set) var fields: [Field] = []

  /// Whether each separator in a header, and there are some, has a blank behind it.
  static func hasBlanks(_ header: [UInt8], separator: UInt8) -> Bool {
    let ends = header.indices.filter { header[$0] == separator }
    return !ends.isEmpty && ends.allSatisfy { $0 + 1 < header.count && header[$0 + 1] == 0x20 }
  }

  /// Leaves an empty field at the end out that the header doesn't have, or adds one that only the header has; returns which.
  ///
  /// - Parameter last: what is to be done, or may be.
  mutating func evenOut(_ heading: TableHeading, _ last: TablePlan.LastField) -> TablePlan.LastField
  {
    guard last != .asItIs else { return last }
    let count = heading.names.count
    if last != .added, fields.count == count + 1, let field = fields.last,
      field.start == field.end, !field.isQuoted
    {
      fields.removeLast()
      return .leftOut
    }
    if last != .leftOut, fields.count == count - 1, heading.written.last?.isEmpty == true,
      let end = fields.last?.end
    {
      fields.append(Field(start: end, end: end))
      return .added
    }
    return .asItIs
  }

  /// Whether there is nothing but white space in all fields.
  func areEmpty(_ record: UnsafeRawBufferPointer) -> Bool {
    if separator == TablePlan.noSeparator {
      return record.allSatisfy { JSONText.isSpace($0) || TablePlan.separators.contains($0) }
    }
    return fields.allSatisfy { field in
      (field.start..<field.end).allSatisfy { JSONText.isSpace(record[$0]) }
    }
  }

  /// Parts a record. Returns the fault of its quotes.
  mutating func split(_ record: UnsafeRawBufferPointer) -> Fault? {
    fields.removeAll(keepingCapacity: true)
    let separator = separator
    var index = 0
    while true {
      if skipsBlanks { while index < record.count, record[index] == 0x20 { index += 1 } }
      if index < record.count, record[index] == UInt8(ascii: "\"") {
        if let fault = splitQuoted(record, &index) { return fault }
      } else {
        let start = index
        while index < record.count, record[index] != separator { index += 1 }
        fields.append(Field(start: start, end: index))
      }
      if index == record.count { return nil }
      index += 1  // the separator
    }
  }

  private mutating func splitQuoted(_ record: UnsafeRawBufferPointer, _ index: inout Int) -> Fault?
  {
    var field = Field(start: index + 1, end: index + 1, isQuoted: true)
    while true {
      while field.end < record.count, record[field.end] != UInt8(ascii: "\"") { field.end += 1 }
      guard field.end < record.count else { return .unclosed(fields.count) }
      index = field.end + 1
      guard index < record.count, record[index] == UInt8(ascii: "\"") else { break }
      field.isEscaped = true
      field.end += 2
    }
    fields.append(field)
    guard index == record.count || record[index] == separator else {
      return .textAfterQuote(fields.count - 1)
    }
    return nil
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
