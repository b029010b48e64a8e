import CHints

/// A pattern of LIKE: `%` matches any text, `_` one code point, and a backslash escapes.
public struct LikePattern: Hashable, Sendable {
  /// The text between two `%`.
  fileprivate struct Piece: Hashable {
    /// The bytes of its UTF-8, with ``LikePattern/anyCodePoint`` for `_`.
    var units: [UInt16] = []
    /// Its UTF-8 if it has no `_`.
    var plain: [UInt8]?
    /// The search for it in a text if it has.
    var search: LikeSearch?
    var codePoints = 0
  }

  fileprivate static let anyCodePoint: UInt16 = 256

  /// The longest pattern, in bytes.
  public static let maximumLength = 1024

  /// The pieces between `%`, including those before the first and after the last one.
  private let pieces: [Piece]

  /// Creates a pattern from UTF-8, or nil if it ends within an escape.
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
    // Merge consecutive %.
    self.pieces = pieces.enumerated().filter { index, piece in
      index == 0 || index == pieces.count - 1 || !piece.units.isEmpty
    }.map { $0.element.finished }
  }

  /// The steps that a byte of text takes at most.
  var cost: Int { pieces.lazy.map { $0.search?.cost ?? 1 }.max() ?? 1 }

  /// Returns whether a text in UTF-8 matches. Each piece is matched at its first occurrence after the previous one,
  /// because a later occurrence can't help the rest to match.
  ///
  /// - Complexity: O(text × ``cost``).
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
  fileprivate var finished: Self {
    var result = self
    if !units.contains(LikePattern.anyCodePoint) {
      result.plain = units.map { UInt8(truncatingIfNeeded: $0) }
    } else {
      result.search = LikeSearch(units, anyCodePoint: LikePattern.anyCodePoint)
    }
    result.codePoints = units.count { $0 & 0xC0 != 0x80 || $0 == LikePattern.anyCodePoint }
    return result
  }

  /// Returns the end of the piece if it matches at `start`.
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

  /// Returns the start of the text's last code points, as many as the piece has.
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

  /// Returns the end of the first match at or after `start`.
  fileprivate func endOfFirst(in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
    if let plain {
      guard let base = text.baseAddress, text.count > start,
        let found = plain.withUnsafeBytes({
          chints_find(base + start, text.count - start, $0.baseAddress, $0.count)
        })
      else { return nil }
      return found - base + plain.count
    }
    return search?.end(in: text, from: start)
  }

  private func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}
