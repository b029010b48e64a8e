/// Reads a table of which nothing is known: it keeps the first bytes to look at them, and then reads on.
struct TableReader {
  private let maximumLength: Int
  private var survey: TableSurvey
  private var ahead: [UInt8] = []
  private var reader: CSVReader?

  init(plan: TablePlan?, options: TableOptions, idProperty: String?, maximumLength: Int) {
    self.maximumLength = maximumLength
    survey = TableSurvey(
      options: options, idProperty: idProperty, maximumLength: maximumLength)
    reader = plan.map { CSVReader(plan: $0, maximumLength: maximumLength) }
  }

  var isContradicted: Bool { reader?.isContradicted ?? false }

  mutating func read(
    _ chunk: UnsafeRawBufferPointer, into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    var rest = chunk
    if reader == nil {
      let part = UnsafeRawBufferPointer(
        rebasing: chunk.prefix(TableSurvey.lookAhead - ahead.count))
      ahead += part
      try survey.read(part)
      guard ahead.count == TableSurvey.lookAhead else { return }
      try begin(isWhole: false, into: &parsed)
      rest = UnsafeRawBufferPointer(rebasing: chunk[part.count...])
    }
    try reader?.read(rest, into: &parsed)
  }

  mutating func finish(into parsed: inout ParsedFeatures) throws(FormatError) {
    if reader == nil { try begin(isWhole: true, into: &parsed) }
    try reader?.finish(into: &parsed)
  }

  private mutating func begin(
    isWhole: Bool, into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    reader = CSVReader(
      plan: try survey.finish(isWhole: isWhole, isFinal: true), maximumLength: maximumLength)
    try ahead.withUnsafeBufferPointer { (ahead) throws(FormatError) in
      try reader?.read(UnsafeRawBufferPointer(ahead), into: &parsed)
    }
    ahead = []
  }
}
