/// The header lines of a response as they are sent, each ended by CRLF.
///
/// Control characters inside a field become spaces, so that none can end it early. Fields that the
/// transport writes itself are left out.
enum HeaderBlock {
  /// Calls `send` with the lines of a response as prepared for one client.
  @inline(__always)
  static func with(
    _ answer: HTTPResponse, _ preparation: Preparation,
    _ send: (UnsafeRawBufferPointer) -> Void
  ) {
    let most = size(answer.headers) + preparation.maximumSize
    withUnsafeTemporaryAllocation(byteCount: most, alignment: 1) { memory in
      guard let start = memory.bindMemory(to: UInt8.self).baseAddress else { return }
      let count = write(to: start) { body in preparation.forEachField(of: answer, body) }
      send(UnsafeRawBufferPointer(start: start, count: count))
    }
  }

  /// The lines of a response to no request.
  static func bytes(_ answer: HTTPResponse) -> [UInt8] {
    // For 0 bytes the initializer would write a count into the storage that all empty arrays share.
    guard !answer.headers.isEmpty else { return [] }
    return [UInt8](unsafeUninitializedCapacity: size(answer.headers)) { buffer, count in
      guard let start = buffer.baseAddress else { return }
      count = write(to: start) { body in
        for (name, value) in answer.headers { body(name, .text(value)) }
      }
    }
  }

  private static func size(_ fields: [(name: String, value: String)]) -> Int {
    var size = 0
    for field in fields { size += field.name.utf8.count + field.value.utf8.count + 4 }
    return size
  }

  /// Writes lines into memory that has room for all of them. Returns the count of their bytes.
  @inline(__always)
  private static func write(
    to start: UnsafeMutablePointer<UInt8>,
    _ forEachField: ((_ name: String, _ value: Preparation.FieldValue) -> Void) -> Void
  ) -> Int {
    var line = Line(end: start)
    var breaks = 0
    forEachField { name, value in
      if isTransportField(name) { return }
      line.append(name, value)
      breaks += 2
    }
    let block = UnsafeMutableBufferPointer(start: start, count: line.end - start)
    // One check for the whole block: fields are short and rarely hold control characters.
    if countControls(block) != breaks { blankControls(block, answer: forEachField) }
    return block.count
  }

  @inline(__always)
  private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

  /// Counts control characters, eight bytes at a time without carries between bytes: the high bit of a
  /// byte of `printable` is set if the byte is 0x20 or more, that of `delete` if it is 0x7F.
  private static func countControls(_ block: UnsafeMutableBufferPointer<UInt8>) -> Int {
    let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    let bytes = UnsafeRawBufferPointer(block)
    var (count, index): (UInt64, Int) = (0, 0)
    while index &+ 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      let low = word & ~highs
      let printable = (low &+ ones &* 0x60) | word
      let delete = (low &+ ones) & ~word
      let found = (~printable | delete) & highs
      count &+= ((found &>> 7) &* ones) &>> 56
      index &+= 8
    }
    for byte in bytes[index...] where isControl(byte) { count &+= 1 }
    return Int(count)
  }

  /// Replaces the control characters inside fields by spaces.
  private static func blankControls(
    _ block: UnsafeMutableBufferPointer<UInt8>,
    answer forEachField: ((_ name: String, _ value: Preparation.FieldValue) -> Void) -> Void
  ) {
    var start = 0
    forEachField { name, value in
      if isTransportField(name) { return }
      let end = start + name.utf8.count + 2 + value.count
      for index in start..<end where isControl(block[index]) { block[index] = UInt8(ascii: " ") }
      start = end + 2
    }
  }

  /// A cursor that writes lines into memory that has room for all of them.
  private struct Line {
    var end: UnsafeMutablePointer<UInt8>

    @inline(__always)
    mutating func append(_ name: String, _ value: Preparation.FieldValue) {
      append(name)
      end[0] = UInt8(ascii: ":")
      end[1] = UInt8(ascii: " ")
      end += 2
      switch value {
      case .text(let text): append(text)
      case .tag(let base, let isGzip):
        end[0] = UInt8(ascii: "\"")
        end += 1
        append(base)
        if isGzip { append(EntityTag.gzipSuffix) }
        end[0] = UInt8(ascii: "\"")
        end += 1
      }
      end[0] = UInt8(ascii: "\r")
      end[1] = UInt8(ascii: "\n")
      end += 2
    }

    @inline(__always)
    private mutating func append(_ text: String) {
      text.withBytes { text in
        if let source = text.baseAddress { end.update(from: source, count: text.count) }
        end += text.count
      }
    }
  }

  private static func isTransportField(_ name: String) -> Bool {
    switch name.utf8.count {
    case 4: name.isSameField(as: "Date")
    case 10: name.isSameField(as: "Connection")
    case 12: name.isSameField(as: "X-Request-Id")
    case 14: name.isSameField(as: "Content-Length")
    case 17: name.isSameField(as: "Transfer-Encoding")
    default: false
    }
  }
}
