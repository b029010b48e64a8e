/// Looks at a table to find out how it is read: at all of it if that can be, since a column is numbers only if all its
/// fields are. Its memory is bounded.
public struct TableSurvey {
  /// The most bytes that are kept of an input that can't be read twice, to survey them before the first is read.
  public static let lookAhead = 64 << 20

  private let head: TableHead
  private let options: TableOptions
  private let maximumLength: Int
  /// The first bytes, until they hold the head.
  private var first: [UInt8] = []
  /// The number of first bytes at which they are looked at.
  private var next: Int
  private var plan: TablePlan?
  private var reader: CSVReader?
  private var found = ParsedFeatures()

  /// Begins to look.
  ///
  /// - Parameters:
  ///   - options: the options of the table.
  ///   - idProperty: the name of the column of ids; nil for `id`.
  ///   - maximumLength: the maximum length of a line, in bytes.
  public init(
    options: TableOptions = TableOptions(), idProperty: String? = nil,
    maximumLength: Int = FeatureReader.usualLength
  ) {
    head = TableHead(options: options, idProperty: idProperty, maximumLength: maximumLength)
    (self.options, self.maximumLength) = (options, maximumLength)
    next = min(64 << 10, head.length)
  }

  /// Whether the header has been seen.
  public var hasHead: Bool { plan != nil }

  /// Looks at a chunk.
  ///
  /// - Throws: ``FormatError`` if the header isn't one of a table with points, or memory is short.
  /// - Complexity: O(bytes of the chunk).
  public mutating func read(_ chunk: UnsafeRawBufferPointer) throws(FormatError) {
    var rest = chunk[...]
    while reader == nil, !rest.isEmpty {
      let part = rest.prefix(next - first.count)
      first += part
      rest = rest.dropFirst(part.count)
      guard first.count == next else { return }
      try begin(isWhole: next == head.length)
      next = min(next * 2, head.length)
    }
    try reader?.read(UnsafeRawBufferPointer(rebasing: rest), into: &found)
    found.batch.removeAll()
  }

  /// The plan by which the table is read.
  ///
  /// - Parameters:
  ///   - isWhole: whether the whole table was seen.
  ///   - isFinal: whether it was, or no more of it can be before it is read.
  /// - Throws: ``FormatError`` if the table is empty, its header isn't one of a table with points, or memory is
  ///   short.
  public mutating func finish(isWhole: Bool, isFinal: Bool) throws(FormatError) -> TablePlan {
    if plan == nil { try begin(isWhole: true) }
    if isWhole { try reader?.finish(into: &found) }
    guard var plan, let reader else { throw TableHead.missing }
    let decoder = reader.decoder
    if plan.mayBeWindows1252, reader.hasInvalid, reader.isWindows1252 {
      plan.encoding = "windows-1252"
      plan.assumptions.insert(TableNotes.encoding("windows-1252"), at: 0)
    }
    if !plan.isDecimalGiven, decoder.withComma > decoder.withPoint {
      plan.decimal = UInt8(ascii: ",")
    }
    plan.hemispheres.keep(decoder.withLetter, plan.heading)
    if decoder.hasSigns { plan.hemispheres.removeAll() }
    plan.assumptions += TableNotes.hemispheres(plan.hemispheres, plan.heading)
    plan.lastField = decoder.lastField
    for (column, kinds) in decoder.kinds.enumerated() {
      plan.isNumbers[column] = !plan.isText[column] && kinds.areNumbers(decimal: plan.decimal)
    }
    plan.idsAreText = decoder.ids.contains(.text) || plan.id.map { plan.isText[$0] } ?? false
    plan.isFinal = isFinal
    return plan
  }

  /// Reads the kept bytes once the head is there.
  private mutating func begin(isWhole: Bool) throws(FormatError) {
    plan = try head.plan(first, isWhole: isWhole)
    guard let plan else { return }
    var reader = CSVReader(plan: plan, maximumLength: maximumLength, isLooking: true)
    try first.withUnsafeBufferPointer { (first) throws(FormatError) in
      try reader.read(UnsafeRawBufferPointer(first), into: &found)
    }
    self.reader = reader
    first = []
  }
}
