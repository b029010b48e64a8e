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

  /// What is before the first separator, and what is behind it; nothing if there is none.
  func split(at separator: UInt8) -> (EncodedText, EncodedText) {
    let end = end(of: range.lowerBound, separator)
    let next = min(end + 1, range.upperBound)
    return (
      EncodedText(bytes, range.lowerBound..<end), EncodedText(bytes, next..<range.upperBound)
    )
  }

  private func end(of start: Int, _ separator: UInt8) -> Int {
    var end = start
    while end < range.upperBound, bytes[end] != separator { end += 1 }
    return end
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
    var place = range.lowerBound
    return EncodedText.plainNumber(bytes, &place, range.upperBound, nextTo: nil)
  }

  /// The numbers of a comma-separated list, if all of them are plain decimals of few digits.
  var plainNumbers: [Double]? {
    var numbers: [Double] = []
    numbers.reserveCapacity(4)
    var place = range.lowerBound
    while true {
      guard
        let number = EncodedText.plainNumber(
          bytes, &place, range.upperBound, nextTo: UInt8(ascii: ","))
      else { return nil }
      numbers.append(number)
      if place == range.upperBound { return numbers }
      place += 1
    }
  }

  /// The number from a place up to the end or a separator.
  private static func plainNumber(
    _ bytes: [UInt8], _ place: inout Int, _ end: Int, nextTo separator: UInt8?
  ) -> Double? {
    let isNegative = place < end && bytes[place] == UInt8(ascii: "-")
    if isNegative { place += 1 }
    // At most 15 digits and so many decimals: the quotient of two integers that doubles hold is rounded
    // once, as the nearest double is (W. Clinger, "How to read floating point numbers accurately").
    var (value, digits, point) = (0, 0, -1)
    while place < end, bytes[place] != separator {
      let digit = bytes[place] &- UInt8(ascii: "0")
      if digit < 10 {
        digits += 1
        guard digits <= 15 else { return nil }
        value = value * 10 + Int(digit)
      } else {
        guard bytes[place] == UInt8(ascii: "."), point < 0, digits > 0 else { return nil }
        point = digits
      }
      place += 1
    }
    guard digits > 0, point < digits else { return nil }
    var number = Double(value)
    if point >= 0 { number /= powersOfTen[digits - point] }
    return isNegative ? -number : number
  }

  private static let powersOfTen: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]
}
