/// Reads a table with a header as a stream: RFC 4180, also with LF or CR as line breaks.
struct CSVReader {
  private let idProperty: [UInt8]?
  private var boundary = CSVBoundary()
  private var records: RecordBuffer
  private var decoder: CSVDecoder?
  private var failure: FormatError?
  private var line = 1
  /// Whether a line feed that comes next ends the same line as the carriage return before it.
  private var skipsLineFeed = false

  init(idProperty: String?, maximumLength: Int) {
    self.idProperty = idProperty.map { Array($0.utf8) }
    records = RecordBuffer(limit: maximumLength)
  }

  mutating func read(
    _ chunk: UnsafeRawBufferPointer, into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    var index = 0
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
    complete(UnsafeRawBufferPointer(start: nil, count: 0), into: &parsed)
    if let failure { throw failure }
    guard decoder != nil else {
      throw .notFeatures(
        pointer: "/lines/1", detail: "the table is empty; a header line is required")
    }
  }

  private mutating func complete(_ part: UnsafeRawBufferPointer, into parsed: inout ParsedFeatures)
  {
    if records.isWhole(part) {
      take(.init(bytes: part), into: &parsed)
    } else {
      records.complete(part).withRecord { take($0, into: &parsed) }
    }
    boundary = CSVBoundary()
  }

  private mutating func take(_ record: RecordBuffer.Record, into parsed: inout ParsedFeatures) {
    let line = line
    self.line += 1 + (boundary.hasQuotes ? record.lineFeeds : 0)
    do throws(FeatureRefusal) {
      if record.isTooLong {
        throw FeatureRefusal(
          "longer than \(records.limit) bytes; a quote may be unclosed")
      }
      if JSONText.trimmed(record.bytes).isEmpty { return }
      guard JSONText.isUTF8(record.bytes) else { throw FeatureRefusal("not valid UTF-8") }
      if decoder == nil {
        decoder = CSVDecoder(
          header: try CSVHeader(record.bytes, idProperty: idProperty), maximumLength: records.limit)
      } else {
        try decoder?.decode(record.bytes, into: &parsed.batch)
      }
    } catch {
      if decoder == nil {
        failure = .notFeatures(pointer: "/lines/\(line)", detail: error.detail)
      } else {
        parsed.reject(pointer: "/lines/\(line)", detail: error.detail)
      }
      return
    }
    do throws(FormatError) { try parsed.keepRoom() } catch { failure = error }
  }
}
