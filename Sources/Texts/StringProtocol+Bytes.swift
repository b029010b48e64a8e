// Text from outside, by its bytes. Swift's own functions see characters: a quote, a comma or a `<` beside a mark that
// combines (U+0301) or is prepended (U+0600) is one character with it, and other than the sign alone; and texts of
// different bytes are equal if they look the same. `scripts/check-structure` refuses those functions where text may come
// from outside. All of it can be inlined: unspecialized, each byte would be a call or more.

import Glibc

extension StringProtocol {
  // MARK: Comparing

  /// Whether two texts have the same bytes. Other than `==`, which takes different ones for equal.
  @inlinable @inline(__always)
  public func isSame(as other: some StringProtocol) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    let isSame = utf8.withContiguousStorageIfAvailable { one in
      other.utf8.withContiguousStorageIfAvailable { two in
        guard let first = one.baseAddress, let second = two.baseAddress else { return true }
        return memcmp(first, second, one.count) == 0
      }
    }
    if case .some(.some(let isSame)) = isSame { return isSame }
    return utf8.elementsEqual(other.utf8)
  }

  /// Whether two names of fields, media types or the like are equal, ignoring the case of ASCII letters.
  @inlinable
  public func isSameField(as other: some StringProtocol) -> Bool {
    utf8.count == other.utf8.count
      && utf8.elementsEqual(other.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
  }

  /// Whether the text's bytes begin with those of another.
  @inlinable
  public func begins(with other: some StringProtocol) -> Bool { utf8.starts(with: other.utf8) }

  /// Whether the text's bytes end with those of another.
  @inlinable
  public func ends(with other: some StringProtocol) -> Bool {
    utf8.count >= other.utf8.count && utf8.suffix(other.utf8.count).elementsEqual(other.utf8)
  }

  /// Whether the bytes of another text, which isn't empty, are somewhere in this one.
  @inlinable
  public func holds(_ other: some StringProtocol) -> Bool {
    guard let first = other.utf8.first else { return true }
    var rest = utf8[...]
    while let found = rest.firstIndex(of: first) {
      rest = rest[found...]
      if rest.starts(with: other.utf8) { return true }
      rest = rest.dropFirst()
    }
    return false
  }

  // MARK: Parting

  /// The parts between separators, which are of ASCII, also the empty ones; no more than some, and then nothing
  /// of the rest. Linear.
  @inlinable
  public func parts(separatedBy separator: UInt8, atMost most: Int = .max) -> [SubSequence] {
    var parts: [SubSequence] = []
    var start = utf8.startIndex
    while parts.count < most {
      let end = utf8[start...].firstIndex(of: separator) ?? utf8.endIndex
      parts.append(self[start..<end])
      if end == utf8.endIndex { break }
      start = utf8.index(after: end)
    }
    return parts
  }

  /// The texts before and after the first occurrence of a byte of ASCII; nil for the second if there is
  /// none.
  @inlinable
  public func cut(at separator: UInt8) -> (SubSequence, SubSequence?) {
    guard let mark = utf8.firstIndex(of: separator) else { return (self[...], nil) }
    return (self[..<mark], self[utf8.index(after: mark)...])
  }

  /// The text without the spaces and tabs at either end.
  @inlinable
  public var trimmed: Substring {
    var rest = Substring(self).utf8
    while rest.first?.isBlank == true { rest.removeFirst() }
    while rest.last?.isBlank == true { rest.removeLast() }
    return Substring(rest)
  }

  /// The text without another one at its beginning; nil unless it begins with that.
  @inlinable
  public func after(_ other: some StringProtocol) -> SubSequence? {
    begins(with: other) ? self[utf8.index(startIndex, offsetBy: other.utf8.count)...] : nil
  }

  /// The text without the slashes at its end.
  @inlinable
  public var withoutSlashes: Substring {
    var rest = Substring(self).utf8
    while rest.last == UInt8(ascii: "/") { rest.removeLast() }
    return Substring(rest)
  }

  /// The beginning of a text of unknown length: at most some bytes, up to between two code points.
  @inlinable
  public func shortened(to most: Int) -> Substring {
    let bytes = Substring(self).utf8
    guard bytes.count > most else { return Substring(bytes) }
    var end = bytes.index(bytes.startIndex, offsetBy: most)
    while end > bytes.startIndex, bytes[end] & 0xC0 == 0x80 { end = bytes.index(before: end) }
    return Substring(bytes[..<end])
  }

  // MARK: Changing

  /// The text with its ASCII letters in lower case.
  @inlinable
  public var lowercasedASCII: String {
    String(decoding: utf8.map(\.lowercasedASCII), as: UTF8.self)
  }

  /// The text with other texts for some of its bytes, which are of ASCII.
  ///
  /// - Parameter replacement: the text for a byte; nil if that stays.
  @inlinable
  public func escaped(_ replacement: (UInt8) -> String?) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(utf8.count * 9 / 8)
    for byte in utf8 {
      if byte < 0x80, let text = replacement(byte) {
        bytes += text.utf8
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
