/// Reads a table with a header as a stream: RFC 4180, also with LF or CR as line breaks and with a byte
/// order mark.
struct CSVReader {
  private let idProperty: [UInt8]?
  private var mark = ByteOrderMark()
  private var boundary = CSVBoundary()
  private var records = RecordBuffer()
  private var decoder: CSVDecoder?
  private var failure: FormatError?
  /// The number of the line where the current record begins.
  private var line = 1
  /// Whether a line feed that comes next ends the same line as the carriage return before it.
  private var skipsLineFeed = false

  init(idProperty: String?) { self.idProperty = idProperty.map { Array($0.utf8) } }

  mutating func read(
    _ chunk: UnsafeRawBufferPointer, into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    var (index, other) = mark.pass(chunk)
    if !other.isEmpty { keepBrokenMark(other) }
    while index < chunk.count {
      if skipsLineFeed {
        skipsLineFeed = false
        if chunk[index] == 0x0A {
          index += 1
          continue
        }
      }
      let start = index
      guard let end = boundary.scan(chunk, &index) else {
        return records.keep(UnsafeRawBufferPointer(rebasing: chunk[start...]))
      }
      skipsLineFeed = chunk[end] == 0x0D
      complete(UnsafeRawBufferPointer(rebasing: chunk[start..<end]), into: &parsed)
      if let failure { throw failure }
    }
  }

  mutating func finish(into parsed: inout ParsedFeatures) throws(FormatError) {
    let other = mark.finish()
    if !other.isEmpty { keepBrokenMark(other) }
    complete(UnsafeRawBufferPointer(start: nil, count: 0), into: &parsed)
    if let failure { throw failure }
    guard decoder != nil else {
      throw .notFeatures(
        pointer: "/lines/1", detail: "the table is empty; a header line is required")
    }
  }

  /// Keeps what looked like a byte order mark as text.
  private mutating func keepBrokenMark(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { records.keep($0) }
    boundary.passText()
  }

  private mutating func complete(_ part: UnsafeRawBufferPointer, into parsed: inout ParsedFeatures)
  {
    if records.isWhole(part) {
      take(.init(bytes: part, isTooLong: false, droppedLineFeeds: 0), into: &parsed)
    } else {
      // Moved out of self so that `take` may change the rest of self meanwhile.
      var buffer = RecordBuffer()
      swap(&buffer, &records)
      buffer.complete(part) { take($0, into: &parsed) }
      swap(&buffer, &records)
    }
    boundary = CSVBoundary()
  }

  private mutating func take(_ record: RecordBuffer.Record, into parsed: inout ParsedFeatures) {
    let line = line
    self.line += 1 + (boundary.hasQuotes ? record.lineFeeds : 0)
    var problem: String?
    if record.isTooLong {
      problem = "longer than \(FeatureReader.maximumFeatureLength) bytes; a quote may be unclosed"
    } else if JSONText.trimmed(record.bytes).isEmpty {
      return
    } else if !JSONText.isUTF8(record.bytes) {
      problem = "not valid UTF-8"
    }
    if decoder != nil {
      if problem == nil {
        problem = decoder?.decode(record.bytes, into: &parsed.batch) ?? nil
      }
      if let problem { parsed.reject(pointer: "/lines/\(line)", detail: problem) }
      return
    }
    do throws(CSVHeader.Refusal) {
      if let problem { throw CSVHeader.Refusal(detail: problem) }
      decoder = CSVDecoder(header: try CSVHeader(record.bytes, idProperty: idProperty))
    } catch {
      failure = .notFeatures(pointer: "/lines/\(line)", detail: error.detail)
    }
  }
}
