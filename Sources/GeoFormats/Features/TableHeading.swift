internal import Texts

/// The names of a table's columns.
struct TableHeading: Sendable {
  /// The most columns, as many as spreadsheets have.
  static let mostColumns = 16_384

  /// The names as they are written, without white space around them.
  let written: [[UInt8]]
  /// The names, each of its own: of those that are the same, the later have a number, as `name_2`.
  let names: [[UInt8]]
  /// The columns whose names are of another one, too.
  let renamed: [Int]
  /// Whether each separator between them has a blank behind it.
  let hasBlanks: Bool
  /// The columns by their names, and the first ones by their names in small letters.
  private let columns: [[UInt8]: Int]
  private let folded: [[UInt8]: Int]

  /// Reads a header.
  init(_ record: [UInt8], separator: UInt8) throws(FeatureRefusal) {
    let skipsBlanks = CSVFields.hasBlanks(record, separator: separator)
    var fields = CSVFields(separator: separator, skipsBlanks: skipsBlanks)
    if let fault = record.withUnsafeBytes({ fields.split($0) }) {
      throw FeatureRefusal(fault.detail(columns: 0) { "field \($0 + 1)" })
    }
    guard fields.fields.count <= TableHeading.mostColumns else {
      throw FeatureRefusal(
        "the header has \(fields.fields.count) columns, and at most \(TableHeading.mostColumns) are read"
      )
    }
    self.init(
      record.withUnsafeBytes { record in
        fields.fields.map { field in
          CSVFields.withText(of: field, in: record) { Array(JSONText.trimmed($0)) }
        }
      }, hasBlanks: skipsBlanks)
  }

  /// Takes names.
  init(_ written: [[UInt8]], hasBlanks: Bool = false) {
    self.hasBlanks = hasBlanks
    var taken = Set(written)
    var counts: [[UInt8]: Int] = [:]
    var names: [[UInt8]] = []
    var renamed: [Int] = []
    for (index, name) in written.enumerated() {
      var count = counts[name, default: 0] + 1
      var own = name
      if count > 1 {
        renamed.append(index)
        own = name + "_\(count)".utf8
        while !taken.insert(own).inserted {
          count += 1
          own = name + "_\(count)".utf8
        }
      }
      counts[name] = count
      names.append(own)
    }
    columns = Dictionary(zip(names, names.indices)) { first, _ in first }
    let small = names.map { $0.map(\.lowercasedASCII) }
    folded = Dictionary(zip(small, small.indices)) { first, _ in first }
    (self.written, self.names, self.renamed) = (written, names, renamed)
  }

  /// The column of a name: exactly it, or but for capitals.
  func index(of name: String) -> Int? {
    let bytes = Array(name.utf8)
    return columns[bytes] ?? folded[bytes.map(\.lowercasedASCII)]
  }

  /// The name of a column in quotes, for messages.
  func shown(_ column: Int) -> String { TableText.quoted(names[column]) }

  /// The names, for messages.
  var listed: String { listed(Array(names.indices)) }

  /// The names of some columns, for messages.
  func listed(_ columns: [Int]) -> String {
    TableText.listed(columns, atMost: 20, shown)
  }
}
