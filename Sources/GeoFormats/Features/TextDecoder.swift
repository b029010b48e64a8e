import Glibc
internal import Texts

/// Turns text of an encoding into UTF-8, across chunks, by iconv(3). Bytes that aren't of the encoding become a byte that
/// is never in UTF-8, so that the line in which they are is found to be bad.
final class TextDecoder {
  /// A byte that UTF-8 doesn't have.
  private static let invalid = CChar(bitPattern: 0xFF)
  /// The bytes that are converted at once. What becomes of them fits into the output (nine bytes for one, at most) and into
  /// glibc's own buffers between two steps (of 8,160 characters): where either is full, some of its decoders, such as that of
  /// EUC-JISX0213, go on for ever.
  private static let inputLength = 2 << 10
  private static let outputLength = 64 << 10

  private let descriptor: iconv_t
  /// The bytes of a code unit, which are left out together if they mean nothing.
  private let unit: Int
  private var input: [UInt8] = []
  private var output = [CChar](repeating: 0, count: outputLength)

  /// Creates a decoder. Nil if iconv doesn't know the encoding.
  init?(_ encoding: String) {
    guard TextDecoder.isLabel(encoding), let descriptor = TextDecoder.open(encoding) else {
      return nil
    }
    self.descriptor = descriptor
    let label = encoding.lowercasedASCII
    unit =
      ["utf-16", "utf16", "ucs-2", "ucs2"].contains(where: label.begins)
      ? 2 : ["utf-32", "utf32", "ucs-4", "ucs4"].contains(where: label.begins) ? 4 : 1
  }

  deinit { iconv_close(descriptor) }

  /// Whether text of the encoding can be decoded.
  static func isKnown(_ encoding: String) -> Bool {
    isUTF8(encoding) || TextDecoder(encoding) != nil
  }

  /// Whether a label is one of UTF-8, which needs no decoder.
  static func isUTF8(_ encoding: String) -> Bool {
    let label = encoding.lowercasedASCII
    return label.isSame(as: "utf-8") || label.isSame(as: "utf8")
  }

  /// Whether a text can be a label. A slash would add options that drop undecodable bytes.
  private static func isLabel(_ text: String) -> Bool {
    (1...40).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte.lowercasedASCII)
          || "-_.:+()".utf8.contains(byte)
      }
  }

  private static func open(_ encoding: String) -> iconv_t? {
    // iconv_open(3) returns the pointer of −1 if there is no such encoding.
    guard let descriptor = iconv_open("UTF-8", encoding), Int(bitPattern: descriptor) != -1 else {
      return nil
    }
    return descriptor
  }

  /// Calls `body` with the text of a chunk, in pieces.
  func decode(
    _ chunk: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws(FormatError) -> Void
  ) throws(FormatError) {
    for start in stride(from: 0, to: chunk.count, by: TextDecoder.inputLength) {
      let end = min(chunk.count, start + TextDecoder.inputLength)
      input += chunk[start..<end]
      try convert(body)
    }
  }

  /// Calls `body` with the rest at the end.
  func finish(_ body: (UnsafeRawBufferPointer) throws(FormatError) -> Void) throws(FormatError) {
    var length = output.count
    let flushed = output.withUnsafeMutableBufferPointer { output in
      var out = output.baseAddress
      return iconv(descriptor, nil, nil, &out, &length)
    }
    if flushed != -1 { try hand(output.count - length, body) }
    guard !input.isEmpty else { return }
    input.removeAll()
    try handInvalid(body)
  }

  private func convert(
    _ body: (UnsafeRawBufferPointer) throws(FormatError) -> Void
  ) throws(FormatError) {
    var used = 0
    while used < input.count {
      let (read, written, code) = step(from: used)
      used += read
      try hand(written, body)
      switch code {
      case 0: continue
      case E2BIG where read > 0 || written > 0: continue
      case EINVAL where input.count - used <= 64:
        input.removeFirst(used)
        return
      default:
        try handInvalid(body)
        used = min(input.count, used + unit)
      }
    }
    input.removeAll(keepingCapacity: true)
  }

  /// Converts what fits from an index on: the bytes that were read and written, and errno.
  private func step(from start: Int) -> (read: Int, written: Int, code: Int32) {
    input.withUnsafeMutableBytes { input in
      output.withUnsafeMutableBufferPointer { output in
        var source = input.baseAddress.map {
          ($0 + start).assumingMemoryBound(to: CChar.self)
        }
        var left = input.count - start
        var target = output.baseAddress
        var room = output.count
        let result = iconv(descriptor, &source, &left, &target, &room)
        let code = result == -1 ? errno : 0
        return (input.count - start - left, output.count - room, code)
      }
    }
  }

  private func handInvalid(
    _ body: (UnsafeRawBufferPointer) throws(FormatError) -> Void
  ) throws(FormatError) {
    output[0] = TextDecoder.invalid
    try hand(1, body)
  }

  private func hand(
    _ count: Int, _ body: (UnsafeRawBufferPointer) throws(FormatError) -> Void
  ) throws(FormatError) {
    guard count > 0 else { return }
    try output.withUnsafeBufferPointer { (output) throws(FormatError) in
      try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(output)[..<count]))
    }
  }
}
