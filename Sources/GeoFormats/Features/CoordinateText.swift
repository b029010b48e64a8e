/// A coordinate as people write it: a number, or degrees with signs for degrees, minutes and seconds and a letter for the
/// hemisphere.
enum CoordinateText {
  /// The axis of a number, by a letter or a column.
  enum Axis { case longitude, latitude }

  /// The value of a text.
  struct Value {
    var degrees: Double
    /// The axis that its letter names.
    var axis: Axis?
  }

  /// Signs of degrees, minutes and seconds, as bytes that no text of a coordinate has.
  private enum Sign {
    static let degree: UInt8 = 1
    static let minute: UInt8 = 2
    static let second: UInt8 = 3
    static let all: [([UInt8], UInt8)] = [
      (Array("deg".utf8), degree), ([0xC2, 0xB0], degree), ([0xC2, 0xBA], degree),
      ([0xCB, 0x9A], degree),
      ([0xE2, 0x80, 0xB2], minute), ([0xE2, 0x80, 0x99], minute), ([0xE2, 0x80, 0x98], minute),
      ([0xC2, 0xB4], minute), ([0xCA, 0xB9], minute), ([0x27], minute),
      ([0xE2, 0x80, 0xB3], second), ([0xE2, 0x80, 0x9D], second), ([0xE2, 0x80, 0x9C], second),
      ([0xCA, 0xBA], second), ([0x22], second),
      ([0xE2, 0x88, 0x92], UInt8(ascii: "-")), ([0xC2, 0xA0], 0x20), ([0xE2, 0x80, 0xAF], 0x20),
      ([0xE2, 0x80, 0x89], 0x20),
    ]
  }
  /// The longest text that is looked at.
  private static let most = 100

  /// The value of a number with a point or comma before its decimals. Nil for other texts.
  @inline(__always)
  static func number(_ text: UnsafeRawBufferPointer, decimal: UInt8) -> Double? {
    if decimal == UInt8(ascii: ".") { return JSONText.decimal(text) }
    return withPoint(text, { JSONText.decimal($0) }) ?? nil
  }

  /// Calls `body` with a text that has a point for its only comma. Nil if it has a point or two commas.
  static func withPoint<R>(
    _ text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> R
  ) -> R? {
    guard !text.contains(UInt8(ascii: ".")) else { return nil }
    guard let comma = text.firstIndex(of: UInt8(ascii: ",")) else { return body(text) }
    var bytes = Array(text)
    bytes[comma] = UInt8(ascii: ".")
    guard !bytes.contains(UInt8(ascii: ",")) else { return nil }
    return bytes.withUnsafeBytes { (bytes) -> R in body(bytes) }
  }

  /// The value of any text; nil if it is no coordinate.
  static func value(_ text: UnsafeRawBufferPointer, decimal: UInt8) -> Value? {
    if let number = number(text, decimal: decimal) { return Value(degrees: number) }
    return plain(text).flatMap { value(plain: $0, decimal: decimal) }
  }

  /// The value of a text that has one byte for each sign.
  static func value(plain: some Collection<UInt8>, decimal: UInt8) -> Value? {
    let plain = Array(plain)
    let degrees = plain.withUnsafeBytes {
      CoordinateText.number(JSONText.trimmed($0), decimal: decimal)
    }
    return degrees.map { Value(degrees: $0) } ?? CoordinateText.degrees(plain)
  }

  /// The text with one byte for each sign; nil if it has others.
  static func plain(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    guard (1...most).contains(text.count) else { return nil }
    var plain: [UInt8] = []
    var index = 0
    while index < text.count {
      let rest = text[index...]
      if let (bytes, sign) = Sign.all.first(where: { rest.starts(with: $0.0) }) {
        // Two signs of minutes are one of seconds.
        if sign == Sign.minute, plain.last == Sign.minute {
          plain[plain.count - 1] = Sign.second
        } else {
          plain.append(sign)
        }
        index += bytes.count
      } else {
        guard (0x20...0x7E).contains(text[index]) else { return nil }
        plain.append(text[index])
        index += 1
      }
    }
    return plain
  }

  /// Degrees with signs, a letter, or both.
  private static func degrees(_ plain: [UInt8]) -> Value? {
    var rest = plain[...]
    func skipSpace() { while rest.first == 0x20 { rest.removeFirst() } }
    while rest.last == 0x20 { rest.removeLast() }
    skipSpace()
    let letters = [rest.first, rest.last].compactMap { $0.flatMap(hemisphere) }
    guard letters.count <= 1 else { return nil }
    if let first = rest.first, hemisphere(first) != nil {
      rest.removeFirst()
    } else if !letters.isEmpty {
      rest.removeLast()
    }
    while rest.last == 0x20 { rest.removeLast() }
    skipSpace()
    var isNegative = letters.first?.isNegative ?? false
    if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      // A sign beside a letter could mean either.
      guard letters.isEmpty else { return nil }
      isNegative = sign == UInt8(ascii: "-")
      rest.removeFirst()
      skipSpace()
    }
    var seconds = 0.0
    // Degrees without minutes: the same bits as without a sign or letter.
    var alone: Double?
    var next: UInt8 = Sign.degree
    var isWhole = true
    var (hasSign, hasColon) = (false, false)
    repeat {
      // Only the last number has decimals.
      let digits = rest.prefix { (0x30...0x39).contains($0) }.count
      guard isWhole, let (number, hasDecimals) = takeNumber(&rest) else { return nil }
      let hasSpace = rest.first == 0x20
      skipSpace()
      isWhole = !hasDecimals
      var sign = rest.first ?? 0
      if sign >= 0x20 || rest.isEmpty {
        // A number without a sign stands alone with its letter, or goes on with the next unit, as behind a colon.
        let isColon = sign == UInt8(ascii: ":") && !hasSpace
        hasColon = hasColon || isColon
        guard !letters.isEmpty || hasColon || hasSign && rest.isEmpty else { return nil }
        if next == Sign.degree, rest.isEmpty {
          guard let axis = letters.first?.axis, let packed = packed(number, digits, axis) else {
            return nil
          }
          alone = packed
          break
        }
        let isDash = sign == UInt8(ascii: "-") || isColon
        guard rest.isEmpty || isDash != hasSpace else { return nil }
        if isDash { rest.removeFirst() }
        guard !isDash || !rest.isEmpty else { return nil }
        rest.insert(next, at: rest.startIndex)
        sign = next
      }
      guard sign == next || next == Sign.minute && sign == Sign.second else { return nil }
      guard sign == Sign.degree || number < 60 else { return nil }
      rest.removeFirst()
      skipSpace()
      seconds += number * [0, 3600, 60, 1][Int(sign)]
      if sign == Sign.degree, rest.isEmpty { alone = number }
      hasSign = true
      next = sign + 1
    } while !rest.isEmpty && next <= Sign.second
    guard rest.isEmpty else { return nil }
    let degrees = alone ?? seconds / 3600
    return Value(degrees: isNegative ? -degrees : degrees, axis: letters.first?.axis)
  }

  /// The degrees of digits without signs: two or, for a longitude, three are degrees, two minutes, and two more seconds, as
  /// in `4230N` and `00131E`. Other numbers of digits are all of degrees. Nil for sixty minutes and more.
  private static func packed(_ number: Double, _ digits: Int, _ axis: Axis) -> Double? {
    let more = digits - (axis == .longitude ? 3 : 2)
    guard more == 2 || more == 4 else { return number }
    let seconds = more == 4 ? number.truncatingRemainder(dividingBy: 100) : 0
    let rest = more == 4 ? (number / 100).rounded(.down) : number
    let minutes = rest.truncatingRemainder(dividingBy: 100)
    guard minutes < 60, seconds < 60 else { return nil }
    return ((rest / 100).rounded(.down) * 3600 + minutes * 60 + seconds) / 3600
  }

  /// The meaning of a capital letter for a hemisphere.
  static func hemisphere(_ byte: UInt8) -> (axis: Axis, isNegative: Bool)? {
    switch byte {
    case UInt8(ascii: "N"): (.latitude, false)
    case UInt8(ascii: "S"): (.latitude, true)
    case UInt8(ascii: "E"): (.longitude, false)
    case UInt8(ascii: "W"): (.longitude, true)
    default: nil
    }
  }

  private static func takeNumber(_ rest: inout ArraySlice<UInt8>) -> (Double, Bool)? {
    var text: [UInt8] = []
    var hasDecimals = false
    while let byte = rest.first {
      let isMark = byte == UInt8(ascii: ".") || byte == UInt8(ascii: ",")
      guard (0x30...0x39).contains(byte) || isMark && !hasDecimals && !text.isEmpty else { break }
      text.append(isMark ? UInt8(ascii: ".") : byte)
      hasDecimals = hasDecimals || isMark
      rest.removeFirst()
    }
    guard let last = text.last, last != UInt8(ascii: ".") else { return nil }
    return text.withUnsafeBytes { JSONText.decimal($0) }.map { ($0, hasDecimals) }
  }
}
