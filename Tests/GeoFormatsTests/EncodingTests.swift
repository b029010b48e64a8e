import GeoFormats
import Testing

/// Tables in encodings of which glibc's decoders can't be relied on.
@Suite(.timeLimit(.minutes(1))) struct EncodingTests {
  /// Where their buffers are full, these go on for ever.
  @Test(arguments: ["EUC-JISX0213", "SHIFT_JISX0213"], 0..<6)
  func `characters of two code points are decoded, however many there are`(
    _ encoding: String, _ padding: Int
  ) throws {
    var options = TableOptions()
    options.encoding = encoding
    let character: [UInt8] = encoding == "EUC-JISX0213" ? [0xA4, 0xF7] : [0x82, 0xF5]
    let head = "lon,lat,a\n1,2," + String(repeating: "a", count: padding)
    let text = Array(repeatElement(character, count: 32_000).joined())
    let parsed = try ParsedFeatures(of: Array(head.utf8) + text, .csv, table: options)
    #expect(parsed.batch.count == 1)
    // A Hiragana with a mark, of three bytes each.
    parsed.batch.withRecord(at: 0) { #expect($0.properties.count == 192_008 + padding) }
  }
}
