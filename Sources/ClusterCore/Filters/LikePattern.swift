import CHints

/// The pattern of LIKE: `%` stands for any text, `_` for one code point, and a backslash takes
/// away the meaning of what follows.
public struct LikePattern: Hashable, Sendable {
  /// Text between two `%`.
  fileprivate struct Piece: Hashable {
    /// Its UTF-8, and ``LikePattern/anyCodePoint`` for `_`.
    var units: [UInt16] = []
    /// Its UTF-8 if there is no `_` in it.
    var plain: [UInt8]?
    /// How many code points it is.
    var codePoints = 0
  }

  fileprivate static let anyCodePoint: UInt16 = 256

  /// The longest pattern, in bytes.
  public static let maximumLength = 1024

  /// What lies between the `%`, with the text before the first and after the last one.
  private let pieces: [Piece]

  /// Takes a pattern in UTF-8. nil if it ends within an escape.
  public init?(_ pattern: [UInt8]) {
    var pieces = [Piece()]
    var index = 0
    while index < pattern.count {
      var byte = pattern[index]
      index += 1
      switch byte {
      case UInt8(ascii: "%"):
        pieces.append(Piece())
        continue
      case UInt8(ascii: "_"):
        pieces[pieces.count - 1].units.append(LikePattern.anyCodePoint)
        continue
      case UInt8(ascii: "\\"):
        guard index < pattern.count else { return nil }
        byte = pattern[index]
        index += 1
      default: break
      }
      pieces[pieces.count - 1].units.append(UInt16(byte))
    }
    // Several % in a row are one.
    self.pieces = pieces.enumerated().filter { index, piece in
      index == 0 || index == pieces.count - 1 || !piece.units.isEmpty
    }.map { $0.element.finished }
  }

  /// Whether a text (its UTF-8) is as the pattern says. It looks for each piece once, where the one
  /// before it ended first: no other choice could let more of the text match.
  public func matches(_ text: UnsafeRawBufferPointer) -> Bool {
    let first = pieces[0]
    guard var start = first.end(in: text, from: 0) else { return false }
    if pieces.count == 1 { return start == text.count }
    let last = pieces[pieces.count - 1]
    guard let end = last.start(atEndOf: text), end >= start,
      last.end(in: text, from: end) == text.count
    else { return false }
    let middle = UnsafeRawBufferPointer(rebasing: text[..<end])
    for piece in pieces[1..<(pieces.count - 1)] {
      guard let next = piece.endOfFirst(in: middle, from: start) else { return false }
      start = next
    }
    return true
  }
}

extension LikePattern.Piece {
  /// The piece with what can be told from its units.
  fileprivate var finished: Self {
    var result = self
    if !units.contains(LikePattern.anyCodePoint) {
      result.plain = units.map { UInt8(truncatingIfNeeded: $0) }
    }
    result.codePoints = units.count { $0 & 0xC0 != 0x80 || $0 == LikePattern.anyCodePoint }
    return result
  }

  /// Where the piece ends if it lies at an index.
  fileprivate func end(in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
    if let plain {
      guard plain.count <= text.count - start else { return nil }
      let same = plain.withUnsafeBytes {
        ByteOrder.areEqual($0, UnsafeRawBufferPointer(rebasing: text[start..<start + $0.count]))
      }
      return same ? start + plain.count : nil
    }
    var index = start
    for unit in units {
      guard index < text.count else { return nil }
      if unit == LikePattern.anyCodePoint {
        index += 1
        while index < text.count, isContinuation(text[index]) { index += 1 }
      } else {
        guard unit == UInt16(text[index]) else { return nil }
        index += 1
      }
    }
    return index
  }

  /// Where a text's last code points begin, as many as the piece has.
  fileprivate func start(atEndOf text: UnsafeRawBufferPointer) -> Int? {
    if let plain { return plain.count <= text.count ? text.count - plain.count : nil }
    var index = text.count
    for _ in 0..<codePoints {
      guard index > 0 else { return nil }
      index -= 1
      while index > 0, isContinuation(text[index]) { index -= 1 }
    }
    return index
  }

  /// Where the piece ends at the first place from an index on where it lies.
  fileprivate func endOfFirst(in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
    if let plain {
      guard let base = text.baseAddress, text.count > start,
        let found = plain.withUnsafeBytes({
          chints_find(base + start, text.count - start, $0.baseAddress, $0.count)
        })
      else { return nil }
      return found - base + plain.count
    }
    guard start < text.count else { return nil }
    for index in start..<text.count where !isContinuation(text[index]) {
      if let end = end(in: text, from: index) { return end }
    }
    return nil
  }

  private func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}
