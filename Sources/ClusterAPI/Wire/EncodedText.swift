import Texts

/// A part of a path or query as it stands in the request, percent-encoded.
struct EncodedText {
  private let bytes: [UInt8]
  private let range: Range<Int>

  /// All of a path or query.
  init(_ text: String) {
    bytes = Array(text.utf8)
    range = bytes.indices
  }

  private init(_ bytes: [UInt8], _ range: Range<Int>) { (self.bytes, self.range) = (bytes, range) }

  /// Whether there is nothing in it.
  var isEmpty: Bool { range.isEmpty }

  /// The bytes as they were given.
  var encoded: ArraySlice<UInt8> { bytes[range] }

  /// The text that it stands for; nil where an escape is broken or the bytes aren't UTF-8.
  func decoded(plusIsSpace: Bool = false) -> String? {
    let plain: String? = bytes[range].withUnsafeBufferPointer { bytes in
      for byte in bytes
      where byte >= 0x80 || byte == UInt8(ascii: "%") || byte == UInt8(ascii: "+") { return nil }
      return String(decoding: bytes, as: UTF8.self)
    }
    return plain ?? PercentCoding.decode(bytes[range], plusIsSpace: plusIsSpace)
  }

  /// The parts between separators.
  func parts(separatedBy separator: UInt8) -> Parts { Parts(text: self, separator: separator) }

  /// The texts before and after the first separator; the second is empty if there is no separator.
  func split(at separator: UInt8) -> (EncodedText, EncodedText) {
    let end = end(of: range.lowerBound, separator)
    let next = min(end + 1, range.upperBound)
    return (EncodedText(bytes, range.lowerBound..<end), EncodedText(bytes, next..<range.upperBound))
  }

  private func end(of start: Int, _ separator: UInt8) -> Int {
    bytes[start..<range.upperBound].firstIndex(of: separator) ?? range.upperBound
  }

  /// The parts of a text between separators, also the empty ones.
  struct Parts: Sequence, IteratorProtocol {
    fileprivate let text: EncodedText
    fileprivate let separator: UInt8
    private var start: Int

    fileprivate init(text: EncodedText, separator: UInt8) {
      (self.text, self.separator, start) = (text, separator, text.range.lowerBound)
    }

    mutating func next() -> EncodedText? {
      guard start <= text.range.upperBound else { return nil }
      let end = text.end(of: start, separator)
      defer { start = end + 1 }
      return EncodedText(text.bytes, start..<end)
    }
  }

  // MARK: Numbers

  /// The number, if it is a plain decimal of few digits: the usual case, read without a String. Nil says
  /// nothing of whether it is a number.
  var plainNumber: Double? {
    bytes[range].withUnsafeBufferPointer { text in
      var offset = 0
      let number = PlainNumber.read(text, &offset)
      return offset == text.count ? number : nil
    }
  }

  /// The numbers of a comma-separated list, if all of them are plain decimals of few digits, and they are not more than
  /// some.
  func plainNumbers(atMost most: Int) -> [Double]? {
    bytes[range].withUnsafeBufferPointer { text in
      var numbers: [Double] = []
      numbers.reserveCapacity(4)
      var offset = 0
      while let number = PlainNumber.read(text, &offset) {
        numbers.append(number)
        if offset == text.count { return numbers }
        guard numbers.count < most, text[offset] == UInt8(ascii: ",") else { return nil }
        offset += 1
      }
      return nil
    }
  }

  /// Reads decimals of few digits.
  private enum PlainNumber {
    /// Reads a decimal at an offset and moves the offset to its end. Nil if there is none, or one of more
    /// digits than are read exactly here.
    @inline(__always)
    static func read(_ text: UnsafeBufferPointer<UInt8>, _ offset: inout Int) -> Double? {
      let isNegative = offset < text.count && text[offset] == UInt8(ascii: "-")
      if isNegative { offset &+= 1 }
      var value: Int64 = 0
      let whole = digits(text, &offset, &value)
      guard whole > 0 else { return nil }
      var decimals = 0
      if offset < text.count, text[offset] == UInt8(ascii: ".") {
        offset &+= 1
        decimals = digits(text, &offset, &value)
        guard decimals > 0 else { return nil }
      }
      // At most 15 digits, thus both are integers that doubles hold: their quotient is rounded once, as
      // the nearest double is (W. Clinger, "How to read floating point numbers accurately").
      guard whole &+ decimals <= 15 else { return nil }
      let number = decimals > 0 ? Double(value) / powersOfTen[decimals] : Double(value)
      return isNegative ? -number : number
    }

    /// Reads digits behind those of a value; returns how many. The value is right for up to 18 in all.
    @inline(__always)
    private static func digits(
      _ text: UnsafeBufferPointer<UInt8>, _ offset: inout Int, _ value: inout Int64
    ) -> Int {
      let start = offset
      while offset < text.count {
        let digit = text[offset] &- UInt8(ascii: "0")
        guard digit < 10 else { break }
        value = value &* 10 &+ Int64(digit)
        offset &+= 1
      }
      return offset &- start
    }

    private static let powersOfTen: [Double] = [
      1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]
  }
}
