import GeoFormats
import Texts

/// Rows of CSV made of the features without geometry that `ogr2ogr` writes, one a line, as GeoJSON. Its own CSV quotes whole
/// numbers as it quotes texts that look like numbers, and has dates in no standard form.
struct TableRows {
  /// The names of the columns in UTF-8, and of the members that `ogr2ogr` makes of them.
  private let columns: [(name: [UInt8], member: [UInt8])]
  /// Whether all is text by its type, so that what looks like a number is one, as in a CSV without quotes.
  private let isUntyped: Bool
  private let parser = JSONParser()
  private var rest: [UInt8] = []

  /// - Parameters:
  ///   - columns: the names of the columns, of which a feature may lack some.
  ///   - isUntyped: whether texts may be numbers.
  init(columns: [String], isUntyped: Bool) {
    func key(_ name: String) -> [UInt8] { Array(name.lowercasedASCII.utf8) }
    let names = Set(columns.map(key))
    var members: Set<[UInt8]> = []
    self.columns = columns.map { name in
      // Of names that differ in the case of letters at most, a later one gets a number with which it is like none.
      var (member, number) = (name, 1)
      while members.contains(key(member)) || number > 1 && names.contains(key(member)) {
        number += 1
        member = "\(name)\(number)"
      }
      members.insert(key(member))
      return (Array(name.utf8), Array(member.utf8))
    }
    self.isUntyped = isUntyped
  }

  /// Begins anew, and returns the row of names.
  mutating func begin() -> [UInt8] {
    rest = []
    var row: [UInt8] = []
    for (number, column) in columns.enumerated() {
      if number > 0 { row.append(UInt8(ascii: ",")) }
      column.name.withUnsafeBytes { CSVWriter.quote($0, into: &row) }
    }
    return row + [0x0A]
  }

  /// The rows of the features whose lines end in a chunk.
  ///
  /// - Throws: ``CommandFailure`` if a line is none.
  mutating func take(_ chunk: UnsafeRawBufferPointer) throws(CommandFailure) -> [UInt8] {
    rest += chunk
    guard let end = rest.lastIndex(of: 0x0A) else { return [] }
    var rows: [UInt8] = []
    let lines = rest[..<end].split { $0 == 0x0A }
    for line in lines { try add(Array(line), to: &rows) }
    rest.removeSubrange(...end)
    return rows
  }

  private func add(_ line: [UInt8], to rows: inout [UInt8]) throws(CommandFailure) {
    guard let properties = (try? parser.parse(line))?["properties"] else {
      throw CommandFailure("ogr2ogr has written a line that is no feature")
    }
    var found = 0
    for (number, column) in columns.enumerated() {
      if number > 0 { rows.append(UInt8(ascii: ",")) }
      guard let value = column.member.withUnsafeBytes({ properties[utf8: $0] }) else { continue }
      found += 1
      switch value.kind {
      case .null: break
      case .string:
        guard let text = value.stringBytes else { continue }
        if isUntyped, !text.contains(where: CSVWriter.isSpecial) {
          rows += text
        } else {
          CSVWriter.quote(text, into: &rows)
        }
      case .number:
        // Of a column of reals 12 comes as 12.0.
        rows +=
          value.text.suffix(2).elementsEqual(".0".utf8) ? value.text.dropLast(2) : value.text[...]
      case .bool: rows += value.text
      default: CSVWriter.quote(value.text, into: &rows)
      }
    }
    rows.append(0x0A)
    guard found == properties.count else {
      throw CommandFailure("a feature has a column that ogrinfo has not listed")
    }
  }
}
