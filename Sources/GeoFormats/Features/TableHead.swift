internal import Texts

/// Finds the head of a table in its first bytes: its encoding, its separator and its header.
struct TableHead {
  /// The most bytes of a header.
  private static let most = 1 << 20
  /// The most lines above a header.
  private static let mostLines = 10

  /// The error of a table without a header.
  static let missing = FormatError.notFeatures(
    pointer: "/lines/1", detail: "the table is empty; a header line is required")

  private let options: TableOptions
  private let idProperty: String?
  private let limit: Int

  // The state of a search, which works on a copy.

  /// The first bytes in UTF-8, without a byte order mark.
  private var text: [UInt8] = []
  private var encoding: String?
  /// Whether no more can come, or would help.
  private var isWhole = false
  /// The place of the current line, and its number.
  private var start = 0
  private var line = 1
  /// Whether the header isn't in the encoding.
  private var isMisread = false
  /// The encoding that it is in, as it seems.
  private var likely: String?

  /// A header as one of the separators parts it, and the columns of coordinates in it.
  private struct Candidate {
    let separator: UInt8
    let heading: TableHeading
    let coordinates: CoordinateColumns
  }

  init(options: TableOptions, idProperty: String?, maximumLength: Int) {
    (self.options, self.idProperty) = (options, idProperty)
    limit = min(maximumLength, TableHead.most)
  }

  /// The first bytes of a table that hold its head, if it has one.
  var length: Int { 4 * limit + 64 }

  /// Plans how the table is read that begins with these bytes. Returns nil if more are needed.
  ///
  /// - Parameter isWhole: whether no more can come, or would help.
  func plan(_ bytes: [UInt8], isWhole: Bool) throws(FormatError) -> TablePlan? {
    if let kind = FeatureFormat.workbook(bytes) {
      throw .notFeatures(pointer: "", detail: "this is \(kind), and no CSV, whatever its name says")
    }
    var assumptions: [String] = []
    var encoding = options.encoding
    if encoding == nil {
      encoding =
        bytes.starts(with: [0xFF, 0xFE])
        ? "UTF-16LE" : bytes.starts(with: [0xFE, 0xFF]) ? "UTF-16BE" : nil
      assumptions += encoding.map { ["the encoding is \($0), by the byte order mark"] } ?? []
    }
    if let label = encoding, TextDecoder.isUTF8(label) { encoding = nil }
    // A byte order mark says that it is UTF-8.
    let mayBeOther =
      encoding == nil && options.encoding == nil && options.assumesEncoding
      && !bytes.starts(with: [UInt8].byteOrderMark)
    var search = self
    search.isWhole = isWhole
    do throws(FormatError) {
      try search.begin(bytes, encoding)
      var found = try search.plan(assumptions)
      found?.mayBeWindows1252 = mayBeOther
      return found
    } catch {
      guard search.isMisread, mayBeOther,
        let label = search.likely ?? (TableText.isWindows1252(bytes) ? "windows-1252" : nil)
      else { throw error }
      try search.begin(bytes, label)
      return try search.plan([TableNotes.encoding(label)])
    }
  }

  /// Encodings in which coordinates have names of their own.
  private static let encodings = [
    "cp932", "euc-jp", "gb18030", "big5", "cp949", "windows-1251", "koi8-r",
  ]

  /// The longest header whose encoding is guessed, in bytes, as it is read in each of them.
  private static let longestGuessed = 8 << 10

  /// The encoding in which a header names columns of coordinates in letters that aren't ASCII's.
  private func encoding(of header: ArraySlice<UInt8>) -> String? {
    guard encoding == nil, options.encoding == nil, header.count <= TableHead.longestGuessed else {
      return nil
    }
    return TableHead.encodings.first { label in
      guard let decoder = TextDecoder(label) else { return false }
      var text: [UInt8] = []
      _ = header.withUnsafeBytes { bytes in
        // It throws only what the closure does.
        try? decoder.decode(bytes) { (part) throws(FormatError) in text += part }
      }
      guard text.withUnsafeBytes({ JSONText.isUTF8($0) }) else { return false }
      return TablePlan.separators.contains { separator in
        guard let heading = try? TableHeading(text, separator: separator),
          case .axes(let longitude, _)? = try? CoordinateColumns.find(heading, options)
        else { return false }
        return heading.written[longitude].contains { $0 >= 0x80 }
      }
    }
  }

  /// Begins a search in bytes of an encoding.
  private mutating func begin(_ bytes: [UInt8], _ encoding: String?) throws(FormatError) {
    (self.encoding, start, line, isMisread) = (encoding, 0, 1, false)
    var text = bytes
    if let encoding {
      guard let decoder = TextDecoder(encoding) else {
        throw .notFeatures(pointer: "", detail: "the encoding \(encoding) is not known")
      }
      text = []
      try bytes.withUnsafeBufferPointer { (bytes) throws(FormatError) in
        try decoder.decode(UnsafeRawBufferPointer(bytes)) { text += $0 }
      }
      if isWhole { try decoder.finish { text += $0 } }
    }
    self.text = Array(text.withoutByteOrderMark)
  }

  private mutating func plan(_ assumptions: [String]) throws(FormatError) -> TablePlan? {
    try skipBlankLines(options.separator)
    let named = try separatorLine()
    let given = options.separator ?? named
    if named != nil { try skipBlankLines(given) }
    guard start < text.count else {
      guard isWhole else { return nil }
      throw TableHead.missing
    }
    // Titles and comments may stand above the header. If it isn't found below them, they are what is wrong.
    var fault: FormatError?
    var passed: [ArraySlice<UInt8>] = []
    for _ in 0...TableHead.mostLines {
      do throws(FormatError) {
        guard let found = try candidate(given.map { [$0] } ?? TablePlan.separators) else {
          return nil
        }
        if let fault, !passed.allSatisfy({ TableHead.isTitle($0, above: found) }) { throw fault }
        return try plan(found, assumptions, titles: passed.count, hasSeparatorLine: named != nil)
      } catch {
        guard case .notFeatures = error, !isMisread else { throw error }
        fault = fault ?? error
      }
      // A line goes on in the next if a quote is left open.
      guard let end = text[start...].prefix(limit).firstIndex(where: TableHead.isBreak),
        text[start..<end].count(where: { $0 == UInt8(ascii: "\"") }).isMultiple(of: 2)
      else { break }
      passed.append(text[start..<end])
      pass(lineEnd: end)
      try skipBlankLines(given)
      guard start < text.count else {
        if isWhole { break }
        return nil
      }
    }
    throw fault ?? TableHead.missing
  }

  /// Whether a line may stand above a header. One with as many fields would be the header, or a feature, of a table without
  /// coordinates.
  private static func isTitle(_ line: ArraySlice<UInt8>, above header: Candidate) -> Bool {
    let fields = try? TableHeading(Array(line), separator: header.separator)
    let count = fields?.written.count { !$0.isEmpty }
    return count.map { $0 < header.heading.names.count } ?? false
  }

  // MARK: Lines

  private static func isBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  /// Goes on to the line behind a line's end.
  private mutating func pass(lineEnd end: Int) {
    let isPair = text[end...].starts(with: [0x0D, 0x0A])
    start = min(end + (isPair ? 2 : 1), text.count)
    line += 1
  }

  /// Passes lines in which nothing is but separators and white space.
  private mutating func skipBlankLines(_ separator: UInt8?) throws(FormatError) {
    while start < text.count {
      let end =
        text[start...].firstIndex { byte in
          !byte.isBlank && byte != separator && !TablePlan.separators.contains(byte)
        } ?? text.count
      try FormatError.poll(bytes: end - start)
      guard end == text.count || TableHead.isBreak(text[end]) else { return }
      pass(lineEnd: end)
    }
  }

  /// The separator that a line `sep=X` names, which it passes.
  private mutating func separatorLine() throws(FormatError) -> UInt8? {
    let rest = text[start...]
    guard rest.prefix(4).map(\.lowercasedASCII).elementsEqual("sep=".utf8) else { return nil }
    let end = rest.firstIndex(where: TableHead.isBreak) ?? rest.endIndex
    let name = rest[(start + 4)..<end]
    guard name.count == 1, let separator = name.first, TableHead.isMark(separator) else {
      throw refusal(
        "sep= names no separator, such as , ; | or a tab, but \(TableText.quoted(name))")
    }
    pass(lineEnd: end)
    return separator
  }

  /// Whether a byte may part fields.
  private static func isMark(_ byte: UInt8) -> Bool {
    let isLetter = byte.isDigit || (0x61...0x7A).contains(byte | 0x20)
    return byte == 0x09 || (0x21..<0x7F).contains(byte) && !isLetter && byte != UInt8(ascii: "\"")
  }

  private func refusal(_ detail: String) -> FormatError {
    .notFeatures(pointer: "/lines/\(line)", detail: detail)
  }

  // MARK: The header

  /// The header, split at the separator with which it has columns of coordinates. Returns nil if its end isn't
  /// there.
  private mutating func candidate(
    _ separators: [UInt8]
  ) throws(FormatError) -> Candidate? {
    let text = text[start...]
    var good: [Candidate] = []
    // The most telling of the failures.
    var fault: (weight: Int, detail: String) = (
      -1, "the header is longer than \(limit) bytes; a quote may be unclosed"
    )
    let isEnough = isWhole || text.count > limit
    for separator in separators {
      try FormatError.poll(bytes: text.count)
      guard let record = header(text, separator, isEnough: isEnough) else {
        guard isEnough else { return nil }
        continue
      }
      guard record.count <= limit else { continue }
      guard record.withUnsafeBytes({ JSONText.isUTF8($0) }) else {
        isMisread = true
        likely = self.encoding(of: record)
        let mayBeWindows = encoding == nil && TableText.isWindows1252(self.text)
        let hint = (likely ?? (mayBeWindows ? "windows-1252" : nil)).map {
          ": \($0)? (encoding=\($0))"
        }
        throw refusal("the header is not \(encoding ?? "UTF-8")" + (hint ?? ""))
      }
      do throws(FeatureRefusal) {
        let heading = try TableHeading(Array(record), separator: separator)
        do throws(CoordinateColumns.Fault) {
          let columns = try CoordinateColumns.find(heading, options)
          good.append(Candidate(separator: separator, heading: heading, coordinates: columns))
        } catch {
          let weight = (error.isAmbiguous ? 1 << 20 : 0) + heading.names.count
          let hint = record.contains(0) ? "; it holds zero bytes: utf-16le?" : ""
          if weight > fault.weight { fault = (weight, error.detail + hint) }
        }
      } catch {
        let weight = record.count { $0 == separator } + 1
        if weight > fault.weight { fault = (weight, error.detail) }
      }
    }
    if let best = good.max(by: { $0.heading.names.count < $1.heading.names.count }) {
      if good.count == 1 { return best }
      if best.heading.names.count == 1 {
        // One column has no separator.
        return Candidate(
          separator: TablePlan.noSeparator, heading: best.heading, coordinates: best.coordinates)
      }
      if good.count(where: { $0.heading.names.count > 1 }) == 1 { return best }
      let names = good.map { TableText.quoted([$0.separator]) }.joined(separator: " and ")
      fault.detail = "\(names) both make columns of coordinates; separator says which it is"
    }
    throw refusal(fault.detail)
  }

  /// The record that a text begins with. Nil if its end isn't there and isn't that of the text.
  private func header(
    _ text: ArraySlice<UInt8>, _ separator: UInt8, isEnough: Bool
  ) -> ArraySlice<UInt8>? {
    text.withUnsafeBytes { bytes in
      var boundary = CSVBoundary(separator: separator)
      var index = 0
      if let end = boundary.scan(bytes, &index) { return text.prefix(end) }
      return isEnough && text.count <= limit ? text : nil
    }
  }

  private func plan(
    _ candidate: Candidate, _ assumptions: [String], titles: Int, hasSeparatorLine: Bool
  ) throws(FormatError) -> TablePlan {
    let heading = candidate.heading
    let id =
      if let idProperty {
        heading.names.firstIndex(of: Array(idProperty.utf8))
      } else {
        heading.index(of: "id")
      }
    let ids = id.flatMap { candidate.coordinates.contains($0) ? nil : $0 }
    let angles = AngleColumns(heading, candidate.coordinates)
    let properties = heading.names.enumerated().map { index, name in
      let isOther =
        candidate.coordinates.contains(index) || angles.all.contains(index)
        || (idProperty == nil && index == ids)
      guard !isOther else { return [UInt8]() }
      var writer = JSONWriter(reserving: name.count + 3)
      name.withUnsafeBytes { writer.keyUTF8($0) }
      return writer.bytes
    }
    var isText = Array(repeating: false, count: heading.names.count)
    for name in options.text {
      guard let column = heading.index(of: name) else {
        throw refusal(
          "text names \(TableText.quoted(Array(name.utf8))), and the columns are \(heading.listed)")
      }
      isText[column] = true
    }
    var notes = assumptions
    if titles > 0 { notes.append("the header is in line \(line), below what was left out") }
    let isPlain = [UInt8(ascii: ","), TablePlan.noSeparator].contains(candidate.separator)
    if options.separator == nil, !isPlain {
      let name = candidate.separator == 0x09 ? "a tab" : TableText.quoted([candidate.separator])
      notes.append("the separator is \(name)")
    }
    notes += TableNotes.columns(candidate.coordinates, heading, options)
    notes += TableNotes.angles(angles, heading)
    notes += TableNotes.renamed(heading)
    if let idProperty, ids == nil {
      let name = TableText.quoted(Array(idProperty.utf8))
      notes.append(
        (id == nil ? "no column is named \(name)" : "the column \(name) holds coordinates")
          + ", so the ids are made up")
    }
    return TablePlan(
      encoding: encoding, separator: candidate.separator,
      heading: heading, coordinates: candidate.coordinates, angles: angles,
      hemispheres: HemisphereColumns(heading, candidate.coordinates),
      preamble: titles + (hasSeparatorLine ? 1 : 0), skipsBlanks: heading.hasBlanks, id: ids,
      wantsID: ids == nil && idProperty == nil, properties: properties, isText: isText,
      assumptions: notes, decimal: options.decimal ?? UInt8(ascii: "."),
      isDecimalGiven: options.decimal != nil,
      isNumbers: Array(repeating: false, count: heading.names.count))
  }
}
