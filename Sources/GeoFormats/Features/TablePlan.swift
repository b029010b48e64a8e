/// The plan for reading a table: the given options, and those found by a look at it
/// (``TableSurvey``).
public struct TablePlan: Sendable {
  /// The encoding; nil for UTF-8.
  var encoding: String?
  /// Whether the encoding is Windows-1252 if bytes turn out not to be UTF-8.
  var mayBeWindows1252 = false
  let separator: UInt8
  let heading: TableHeading
  let coordinates: CoordinateColumns
  /// The columns with their minutes and seconds.
  let angles: AngleColumns
  /// The columns with the letters of their hemispheres.
  var hemispheres: HemisphereColumns
  /// The field that a separator at the end of lines or of the header makes.
  var lastField = LastField.open
  /// The lines before the header, but for blank ones.
  let preamble: Int
  /// Whether a blank behind a separator isn't part of the field.
  let skipsBlanks: Bool
  /// The column of ids.
  let id: Int?
  /// Whether ids are made up, though no option asks for that.
  let wantsID: Bool
  /// For each column, the start of its property, `"name":`; empty if the column is not a property.
  let properties: [[UInt8]]
  /// Whether a column is text by an option.
  let isText: [Bool]
  /// The assumptions.
  var assumptions: [String]

  /// An empty field at the end of records, or of the header alone.
  enum LastField {
    /// Not known yet: any is left out or added.
    case open
    case asItIs, leftOut, added
  }

  /// The byte before decimals.
  var decimal: UInt8 = UInt8(ascii: ".")
  /// Whether it was given, rather than found.
  var isDecimalGiven = false
  /// Whether all fields of a column are numbers.
  var isNumbers: [Bool] = []
  var idsAreText = false
  /// Whether a contradiction doesn't change the plan: the rest is then read as well as possible. Otherwise a reader
  /// stops at the first contradiction.
  var isFinal = false

  /// The separator of a table with one column: a byte that isn't in text.
  static let noSeparator: UInt8 = 0
  /// The separators, which may be all that an empty record holds.
  static let separators = TableOptions.separators.map(\.value)

  /// Whether it would be another plan had more of the table been seen.
  func mayChange(by kinds: ColumnKinds, in column: Int) -> Bool {
    !isFinal && isNumbers[column] && !kinds.areNumbers(decimal: decimal)
  }
}
