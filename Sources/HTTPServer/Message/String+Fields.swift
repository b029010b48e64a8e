import Glibc

extension StringProtocol {
  /// The text without the spaces and tabs at either end.
  public var trimmed: Substring {
    var rest = Substring(self).utf8
    while let first = rest.first, isBlank(first) { rest.removeFirst() }
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return Substring(rest)
  }

  /// The parts between separators, which are of ASCII, also the empty ones; no more than some, and then nothing
  /// of the rest. Linear.
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
    guard utf8.count == other.utf8.count else { return false }
    return utf8.elementsEqual(other.utf8, by: isSameLetter)
  }
}

@inline(__always)
private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

@inlinable @inline(__always)
func isSameLetter(_ a: UInt8, _ b: UInt8) -> Bool {
  a == b || (a ^ b == 0x20 && (a | 0x20) >= 0x61 && (a | 0x20) <= 0x7A)
}

extension String {
  /// Whether two field names are equal, ignoring the case of ASCII letters. For those of each answer.
  func isSameField(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    return withBytes { one in
      other.withBytes { two in
        for index in 0..<one.count where !isSameLetter(one[index], two[index]) { return false }
        return true
      }
    }
  }

  /// Calls `body` with the UTF-8. Unlike withUTF8(), it needs no mutable copy of the string.
  @inline(__always)
  func withBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
    return Array(utf8).withUnsafeBufferPointer(body)
  }
}
