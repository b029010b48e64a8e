import Glibc

/// Reads one GeoJSON Feature, or place, on each line, or one after each record separator (RFC 8142), which may then
/// span lines. The first byte decides which.
struct SequenceReader {
  private static let recordSeparator: UInt8 = 0x1E
  private static let lineFeed: UInt8 = 0x0A

  private var decoder: FeatureDecoder
  private var mark = ByteOrderMark()
  private var records: RecordBuffer
  /// The byte that ends a record; nil until the first byte has been read.
  private var delimiter: UInt8?
  private var line = 1

  init(_ decoder: FeatureDecoder, maximumLength: Int) {
    self.decoder = decoder
    records = RecordBuffer(limit: maximumLength)
  }

  mutating func read(
    _ chunk: UnsafeRawBufferPointer, into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    let (held, rest) = mark.pass(chunk)
    try readText(held, into: &parsed)
    try readText(rest, into: &parsed)
  }

  private mutating func readText(
    _ chunk: UnsafeRawBufferPointer, into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    guard let base = chunk.baseAddress, let first = chunk.first else { return }
    let delimiter =
      self.delimiter
      ?? (first == SequenceReader.recordSeparator
        ? SequenceReader.recordSeparator : SequenceReader.lineFeed)
    self.delimiter = delimiter
    var start = 0
    while start < chunk.count {
      let rest = chunk.count - start
      guard let found = memchr(base + start, Int32(delimiter), rest) else {
        records.keep(UnsafeRawBufferPointer(start: base + start, count: rest))
        return
      }
      let end = UnsafeRawPointer(found) - base
      try complete(UnsafeRawBufferPointer(rebasing: chunk[start..<end]), into: &parsed)
      if delimiter == SequenceReader.lineFeed { line += 1 }
      try FormatError.poll(bytes: end + 1 - start)
      start = end + 1
    }
  }

  mutating func finish(into parsed: inout ParsedFeatures) throws(FormatError) {
    try readText(mark.finish(), into: &parsed)
    try complete(UnsafeRawBufferPointer(start: nil, count: 0), into: &parsed)
  }

  private mutating func complete(
    _ part: UnsafeRawBufferPointer, into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    if records.isWhole(part) { return try decode(.init(bytes: part), into: &parsed) }
    try records.complete(part).withRecord { (record) throws(FormatError) in
      try decode(record, into: &parsed)
    }
  }

  private mutating func decode(
    _ record: RecordBuffer.Record, into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    var text = record.bytes
    var here = line
    if delimiter == SequenceReader.recordSeparator { line += record.lineFeeds }
    while let first = text.first {
      guard JSONText.isSpace(first) || first == SequenceReader.recordSeparator else { break }
      if first == SequenceReader.lineFeed { here += 1 }
      text = UnsafeRawBufferPointer(rebasing: text.dropFirst())
    }
    text = JSONText.trimmed(text)
    if record.isTooLong {
      return parsed.reject(
        pointer: "/lines/\(here)",
        detail: "longer than \(records.limit) bytes")
    }
    guard !text.isEmpty else { return }
    let error = try decoder.decode(
      text, isOfList: true, into: &parsed, pointer: "/lines/\(here)")
    guard let error else { return }
    parsed.reject(pointer: "/lines/\(here)", detail: JSONFault.text(of: text, error))
  }
}
