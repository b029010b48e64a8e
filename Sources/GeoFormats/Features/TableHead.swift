internal import Texts

/// Finds the head of a table in its first bytes: its encoding, its separator and its header.
struct TableHead {
  /// The most bytes of a header.
  private static let most = 1 << 20
  /// The bytes between two looks whether to stop.
  private static let stride = 4 << 10

  private let options: TableOptions
  private let idProperty: String?
  private let limit: Int

  private enum Failure: Error {
    case notUTF8(line: Int)
    case format(FormatError)
  }

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
    let line: Int
    do throws(Failure) {
      var found = try plan(bytes, encoding, assumptions, isWhole: isWhole)
      found?.mayBeWindows1252 = mayBeOther
      return found
    } catch {
      switch error {
      case .format(let error): throw error
      case .notUTF8(let number): line = number
      }
    }
    let isReadable = encoding == nil && TableText.isWindows1252(bytes)
    if isReadable, mayBeOther {
      do throws(Failure) {
        return try plan(bytes, "windows-1252", [TableNotes.windows1252], isWhole: isWhole)
      } catch {
        if case .format(let error) = error { throw error }
      }
    }
    throw .notFeatures(
      pointer: "/lines/\(line)",
      detail: "the header is not \(encoding ?? "UTF-8")"
        + (isReadable ? ": windows-1252? (encoding=windows-1252)" : ""))
  }

  private func plan(
    _ bytes: [UInt8], _ encoding: String?, _ assumptions: [String], isWhole: Bool
  ) throws(Failure) -> TablePlan? {
    let text = try decoded(bytes, encoding, isWhole: isWhole)
    var start = 0
    var line = 1
    try skipBlankLines(text, &start, &line, options.separator)
    let named = try separatorLine(text, &start, &line)
    let given = options.separator ?? named
    if named != nil { try skipBlankLines(text, &start, &line, given) }
    guard start < text.count else {
      guard isWhole else { return nil }
      throw .format(
        .notFeatures(
          pointer: "/lines/1", detail: "the table is empty; a header line is required"))
    }
    let separators = given.map { [$0] } ?? TablePlan.separators
    // Titles and comments may stand above the header. If it isn't found below them, they are what is wrong.
    var fault: Failure?
    var passed: [ArraySlice<UInt8>] = []
    for _ in 0...TableHead.mostLines {
      do throws(Failure) {
        guard let found = try candidate(text[start...], line, separators, isWhole: isWhole) else {
          return nil
        }
        if let fault, !passed.allSatisfy({ TableHead.isTitle($0, above: found) }) { throw fault }
        return try plan(
          found, encoding, hasSeparatorLine: named != nil, preamble: passed.count,
          isSeparatorGiven: options.separator != nil, assumptions, line)
      } catch {
        guard case .format(.notFeatures) = error else { throw error }
        fault = fault ?? error
      }
      let begin = start
      guard skipLine(text, &start, &line) else { break }
      passed.append(text[begin..<start].prefix { $0 != 0x0A && $0 != 0x0D })
      try skipBlankLines(text, &start, &line, given)
      guard start < text.count else {
        if isWhole { break }
        return nil
      }
    }
    throw fault ?? .notUTF8(line: line)
  }

  /// Whether a line may stand above a header. One with as many fields would be the header, or a feature, of a table without
  /// coordinates.
  private static func isTitle(_ line: ArraySlice<UInt8>, above header: Candidate) -> Bool {
    // Characters: these are bytes
    let fields = line.split(separator: header.separator).filter { !$0.allSatisfy(\.isBlank) }
    return fields.count < header.heading.names.count
  }

  /// The most lines above a header.
  private static let mostLines = 10

  /// Passes a line without quotes; returns false for any other, and for the last.
  private func skipLine(_ text: [UInt8], _ start: inout Int, _ line: inout Int) -> Bool {
    let rest = text[start...].prefix(limit)
    guard let end = rest.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }),
      !rest[..<end].contains(UInt8(ascii: "\""))
    else { return false }
    let isPair = text[end] == 0x0D && end + 1 < text.count && text[end + 1] == 0x0A
    start = end + (isPair ? 2 : 1)
    line += 1
    return true
  }

  private func poll(bytes: Int) throws(Failure) {
    do throws(FormatError) { try FormatError.poll(bytes: bytes) } catch { throw .format(error) }
  }

  // MARK: Lines

  /// The bytes as UTF-8, without a byte order mark.
  private func decoded(
    _ bytes: [UInt8], _ encoding: String?, isWhole: Bool
  ) throws(Failure) -> [UInt8] {
    var text = bytes
    if let encoding {
      guard let decoder = TextDecoder(encoding) else {
        throw .format(.notFeatures(pointer: "", detail: "the encoding \(encoding) is not known"))
      }
      text = []
      do throws(FormatError) {
        try bytes.withUnsafeBufferPointer { (bytes) throws(FormatError) in
          try decoder.decode(UnsafeRawBufferPointer(bytes)) { text += $0 }
        }
        if isWhole { try decoder.finish { text += $0 } }
      } catch { throw .format(error) }
    }
    return Array(text.withoutByteOrderMark)
  }

  /// Passes lines in which nothing is but separators and white space.
  private func skipBlankLines(
    _ text: [UInt8], _ start: inout Int, _ line: inout Int, _ separator: UInt8?
  ) throws(Failure) {
    var index = start
    var polled = start
    while index < text.count {
      if index - polled >= TableHead.stride {
        try poll(bytes: index - polled)
        polled = index
      }
      switch text[index] {
      case 0x0A, 0x0D:
        if text[index] == 0x0D, index + 1 < text.count, text[index + 1] == 0x0A { index += 1 }
        line += 1
        start = index + 1
      case 0x20, 0x09: break
      default:
        guard TablePlan.separators.contains(text[index]) || text[index] == separator else {
          return
        }
      }
      index += 1
    }
    start = index
  }

  /// The separator that a line `sep=X` names, which it passes.
  private func separatorLine(
    _ text: [UInt8], _ start: inout Int, _ line: inout Int
  ) throws(Failure) -> UInt8? {
    let rest = text[start...]
    guard TablePlan.isSeparatorLine(rest) else { return nil }
    let end = rest.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? rest.endIndex
    let name = rest[(start + 4)..<end]
    let isMark = name.first.map { $0 < 0x7F && ($0 > 0x20 || $0 == 0x09) } ?? false
    let isLetter = name.first.map {
      (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20)
    }
    guard name.count == 1, let separator = name.first, isMark, isLetter == false,
      separator != UInt8(ascii: "\"")
    else {
      throw .format(
        .notFeatures(
          pointer: "/lines/\(line)",
          detail: "sep= names no separator, such as , ; | or a tab, but \(TableText.quoted(name))"))
    }
    start = end
    if start < text.count, text[start] == 0x0D { start += 1 }
    if start < text.count, text[start] == 0x0A { start += 1 }
    line += 1
    return separator
  }

  // MARK: The header

  /// The header, split at the separator with which it has columns of coordinates. Returns nil if its end isn't
  /// there.
  private func candidate(
    _ text: ArraySlice<UInt8>, _ line: Int, _ separators: [UInt8], isWhole: Bool
  ) throws(Failure) -> Candidate? {
    var good: [Candidate] = []
    // The most telling of the failures.
    var fault: (weight: Int, detail: String) = (
      -1, "the header is longer than \(limit) bytes; a quote may be unclosed"
    )
    let isEnough = isWhole || text.count > limit
    for separator in separators {
      try poll(bytes: text.count)
      guard let record = header(text, separator, isEnough: isEnough) else {
        guard isEnough else { return nil }
        continue
      }
      guard record.count <= limit else { continue }
      guard record.withUnsafeBytes({ JSONText.isUTF8($0) }) else { throw .notUTF8(line: line) }
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
    throw .format(.notFeatures(pointer: "/lines/\(line)", detail: fault.detail))
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
    _ candidate: Candidate, _ encoding: String?, hasSeparatorLine: Bool, preamble: Int,
    isSeparatorGiven: Bool, _ assumptions: [String], _ line: Int
  ) throws(Failure) -> TablePlan {
    let heading = candidate.heading
    let id =
      if let idProperty {
        heading.names.firstIndex(of: Array(idProperty.utf8))
      } else {
        heading.index(of: "id")
      }
    let ids = id.flatMap { candidate.coordinates.contains($0) ? nil : $0 }
    let properties = heading.names.enumerated().map { index, name in
      let isOther =
        candidate.coordinates.contains(index) || (idProperty == nil && index == ids)
      guard !isOther else { return [UInt8]() }
      var writer = JSONWriter(reserving: name.count + 3)
      name.withUnsafeBytes { writer.keyUTF8($0) }
      return writer.bytes
    }
    var isText = Array(repeating: false, count: heading.names.count)
    for name in options.text {
      guard let column = heading.index(of: name) else {
        throw .format(
          .notFeatures(
            pointer: "/lines/\(line)",
            detail: "text names \(TableText.quoted(Array(name.utf8))), and the columns are "
              + heading.listed))
      }
      isText[column] = true
    }
    var notes = assumptions
    if preamble > 0 { notes.append("the header is in line \(line), below what was left out") }
    let isPlain = [UInt8(ascii: ","), TablePlan.noSeparator].contains(candidate.separator)
    if !isSeparatorGiven, !isPlain {
      let name = candidate.separator == 0x09 ? "a tab" : TableText.quoted([candidate.separator])
      notes.append("the separator is \(name)")
    }
    notes += TableNotes.columns(candidate.coordinates, heading, options)
    notes += TableNotes.renamed(heading)
    if let idProperty, ids == nil {
      let name = TableText.quoted(Array(idProperty.utf8))
      notes.append(
        (id == nil ? "no column is named \(name)" : "the column \(name) holds coordinates")
          + ", so the ids are made up")
    }
    return TablePlan(
      encoding: encoding,
      separator: candidate.separator, hasSeparatorLine: hasSeparatorLine,
      heading: heading, coordinates: candidate.coordinates,
      hemispheres: HemisphereColumns(heading, candidate.coordinates), preamble: preamble,
      skipsBlanks: heading.hasBlanks, id: ids,
      wantsID: ids == nil && idProperty == nil, properties: properties, isText: isText,
      assumptions: notes, decimal: options.decimal ?? UInt8(ascii: "."),
      isDecimalGiven: options.decimal != nil,
      isNumbers: Array(repeating: false, count: heading.names.count))
  }
}
