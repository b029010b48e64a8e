/// Reads a table as was planned, as a stream: RFC 4180, also with other separators and encodings, and LF or CR as line
/// breaks.
struct CSVReader {
  private let plan: TablePlan
  /// The maximum length of a record in bytes.
  private let limit: Int
  /// Whether it only looks at what there is.
  private let isLooking: Bool
  private let text: TextDecoder?
  private var mark = ByteOrderMark()
  private var boundary: CSVBoundary
  private(set) var decoder: CSVDecoder
  /// The part of a record that came in earlier chunks.
  private var kept: [UInt8] = []
  private var line = 1
  /// Whether a line feed that comes next ends the same line as the carriage return before it.
  private var skipsLineFeed = false
  /// Whether the rest of a line is left out that is too long.
  private var isDropping = false
  /// The lines up to the header that are still to come, but for blank ones.
  private var headLeft: Int
  /// Whether lines weren't UTF-8, and whether all were such that could be Windows-1252.
  private(set) var hasInvalid = false
  private(set) var isWindows1252 = true

  init(plan: TablePlan, maximumLength: Int, isLooking: Bool = false) {
    (self.plan, limit, self.isLooking) = (plan, maximumLength, isLooking)
    text = plan.encoding.flatMap { TextDecoder($0) }
    boundary = CSVBoundary(separator: plan.separator, skipsBlanks: plan.skipsBlanks)
    decoder = CSVDecoder(plan: plan, maximumLength: maximumLength)
    headLeft = plan.preamble + 1
  }

  /// Whether the table contradicts the plan. Its rest isn't read then.
  var isContradicted: Bool {
    !isLooking
      && (decoder.isContradicted || (hasInvalid && plan.mayBeWindows1252 && !plan.isFinal))
  }

  mutating func read(
    _ chunk: UnsafeRawBufferPointer, into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    guard let text else { return try readMarked(chunk, into: &parsed) }
    try text.decode(chunk) { (piece) throws(FormatError) in
      try readMarked(piece, into: &parsed)
    }
  }

  mutating func finish(into parsed: inout ParsedFeatures) throws(FormatError) {
    try text?.finish { (piece) throws(FormatError) in try readMarked(piece, into: &parsed) }
    try readText(mark.finish(), into: &parsed)
    guard !isContradicted else { return }
    if !isDropping {
      var record: [UInt8] = []
      swap(&record, &kept)
      try record.withUnsafeBufferPointer { (record) throws(FormatError) in
        try take(UnsafeRawBufferPointer(record), into: &parsed)
      }
    }
    if isLooking { return }
    for note in plan.assumptions + decoder.notes { parsed.note(note) }
  }

  private mutating func readMarked(
    _ chunk: UnsafeRawBufferPointer, into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    let (held, rest) = mark.pass(chunk)
    try readText(held, into: &parsed)
    try readText(rest, into: &parsed)
  }

  private mutating func readText(
    _ chunk: UnsafeRawBufferPointer, into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    var index = 0
    var polled = 0
    while index < chunk.count, !isContradicted {
      try FormatError.poll(bytes: index - polled)
      polled = index
      if skipsLineFeed {
        skipsLineFeed = false
        if chunk[index] == 0x0A {
          index += 1
          continue
        }
      }
      // A record that goes on beyond these bytes is too long, wherever it ends.
      let length = min(limit - kept.count, chunk.count - index - 1) + 1
      let near = UnsafeRawBufferPointer(rebasing: chunk[..<(index + length)])
      if isDropping {
        drop(near, &index)
        continue
      }
      let start = index
      let end = boundary.scan(near, &index)
      let part = UnsafeRawBufferPointer(rebasing: chunk[start..<(end ?? near.count)])
      guard kept.count + part.count <= limit else {
        index = start + limit - kept.count
        try overflow(UnsafeRawBufferPointer(rebasing: chunk[start..<index]), into: &parsed)
        continue
      }
      guard let end else { return kept += part }
      skipsLineFeed = chunk[end] == 0x0D
      if kept.isEmpty {
        try take(part, into: &parsed)
      } else {
        kept += part
        let record = kept
        kept.removeAll(keepingCapacity: true)
        try record.withUnsafeBufferPointer { (record) throws(FormatError) in
          try take(UnsafeRawBufferPointer(record), into: &parsed)
        }
      }
      boundary = CSVBoundary(separator: plan.separator, skipsBlanks: plan.skipsBlanks)
    }
  }

  /// Leaves out the rest of a line.
  private mutating func drop(_ chunk: UnsafeRawBufferPointer, _ index: inout Int) {
    while index < chunk.count {
      let byte = chunk[index]
      index += 1
      guard byte == 0x0A || byte == 0x0D else { continue }
      skipsLineFeed = byte == 0x0D
      isDropping = false
      line += 1
      return
    }
  }

  /// Ends a record that is too long, with its last bytes that are looked at. Of one with several lines these are read one
  /// by one; the last goes on.
  private mutating func overflow(
    _ part: UnsafeRawBufferPointer, into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    var record: [UInt8] = []
    swap(&record, &kept)
    record += part
    boundary = CSVBoundary(separator: plan.separator, skipsBlanks: plan.skipsBlanks)
    guard let last = record.lastIndex(where: { $0 == 0x0A || $0 == 0x0D }) else {
      reject(line, "longer than \(limit) bytes", into: &parsed)
      isDropping = true
      return
    }
    try record[..<last].withUnsafeBufferPointer { (lines) throws(FormatError) in
      try takeLines(
        of: UnsafeRawBufferPointer(lines), .endless(limit), into: &parsed)
    }
    skipsLineFeed = record[last] == 0x0D
    kept = Array(record[(last + 1)...])
    var index = 0
    _ = kept.withUnsafeBytes { boundary.scan($0, &index) }
  }

  // MARK: Records

  /// Takes a whole record.
  private mutating func take(
    _ record: UnsafeRawBufferPointer, into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    if headLeft > 0 {
      let isBlank = record.allSatisfy {
        JSONText.isSpace($0) || $0 == plan.separator || TablePlan.separators.contains($0)
      }
      if !isBlank { headLeft -= 1 }
      line += lines(of: record)
      return
    }
    if let fault = try readFeature(record, into: &parsed) {
      if boundary.hasQuotes, lines(of: record) > 1 {
        return try takeLines(of: record, fault, into: &parsed)
      }
      reject(line, decoder.detail(fault), into: &parsed)
    }
    line += lines(of: record)
  }

  /// Reads the feature in a record, if there is one. Returns why the record can't be parted.
  private mutating func readFeature(
    _ record: UnsafeRawBufferPointer, into parsed: inout ParsedFeatures
  ) throws(FormatError) -> CSVFields.Fault? {
    guard isReadable(record, into: &parsed) else { return nil }
    switch decoder.split(record) {
    case .feature: try decode(record, into: &parsed)
    case .blank: break
    case .bad(let fault): return fault
    }
    return nil
  }

  /// The lines that a record takes.
  private func lines(of record: UnsafeRawBufferPointer) -> Int {
    boundary.hasQuotes ? TableLines(text: record).count : 1
  }

  /// Takes the lines of a record one by one, as a quote has swallowed all but the first, which is lost.
  private mutating func takeLines(
    of record: UnsafeRawBufferPointer, _ fault: CSVFields.Fault,
    into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    let first = line
    let lines = TableLines(text: record)
    for range in lines {
      let text = UnsafeRawBufferPointer(rebasing: record[range])
      try FormatError.poll(bytes: text.count)
      defer { line += 1 }
      if line == first {
        reject(
          line,
          "a quote takes lines \(first) to \(first + lines.count - 1) for one: "
            + decoder.detail(fault), into: &parsed)
        continue
      }
      guard let fault = try readFeature(text, into: &parsed) else { continue }
      reject(line, "lost to the quote in line \(first): \(decoder.detail(fault))", into: &parsed)
    }
  }

  /// Decodes the record that was parted.
  private mutating func decode(
    _ record: UnsafeRawBufferPointer, into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    if isLooking { return decoder.look(record) }
    let isTold = parsed.keepsReasons
    do throws(FeatureRefusal) {
      try decoder.decode(record, into: &parsed.batch, isTold: isTold)
    } catch {
      reject(line, error.detail, into: &parsed)
      return
    }
    try parsed.keepRoom()
  }

  private func reject(
    _ line: Int, _ detail: @autoclosure () -> String, into parsed: inout ParsedFeatures
  ) {
    parsed.reject(pointer: "/lines/\(line)", detail: detail())
  }

  /// Whether a line is UTF-8, or may be Windows-1252 where that is looked at. Rejects it otherwise.
  private mutating func isReadable(
    _ record: UnsafeRawBufferPointer, into parsed: inout ParsedFeatures
  ) -> Bool {
    let isUTF8 = JSONText.isUTF8(record)
    if isLooking, plan.mayBeWindows1252, isWindows1252 {
      // A line that is UTF-8 beyond ASCII is that by no accident.
      isWindows1252 =
        TableText.isWindows1252(record) && !(isUTF8 && record.contains { $0 >= 0x80 })
    }
    if isUTF8 { return true }
    hasInvalid = true
    // The separators are the same bytes.
    if isLooking, plan.mayBeWindows1252 { return true }
    parsed.reject(
      pointer: "/lines/\(line)",
      detail: "\(decoder.invalidField(record)) is not \(plan.encoding ?? "UTF-8")"
        + (plan.encoding == nil && TableText.isWindows1252(record)
          ? ": windows-1252? (encoding=windows-1252)" : ""))
    return false
  }
}

/// The lines of a text, without their breaks: LF, CR or both. The text after the last break is a line unless it is
/// empty.
struct TableLines: Sequence, IteratorProtocol {
  let text: UnsafeRawBufferPointer
  var start = 0

  /// The number of lines, at least one.
  var count: Int { Swift.max(reduce(0) { count, _ in count + 1 }, 1) }

  /// The range of the next line.
  mutating func next() -> Range<Int>? {
    guard start < text.count else { return nil }
    var end = start
    while end < text.count, text[end] != 0x0A, text[end] != 0x0D { end += 1 }
    let line = start..<end
    let isPair = end + 1 < text.count && text[end] == 0x0D && text[end + 1] == 0x0A
    start = end + (isPair ? 2 : 1)
    return line
  }
}
