extension String {
  /// Whether two field names are equal, ignoring the case of ASCII letters.
  func isSameField(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    return withBytes { one in
      other.withBytes { two in
        for index in 0..<one.count {
          let (a, b) = (one[index], two[index])
          guard a == b || (a ^ b == 0x20 && (a | 0x20) >= 0x61 && (a | 0x20) <= 0x7A) else {
            return false
          }
        }
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

extension StringProtocol {
  /// The text without the spaces and tabs at either end.
  var trimmed: SubSequence {
    var rest = drop { $0 == " " || $0 == "\t" }
    while let last = rest.last, last == " " || last == "\t" { rest = rest.dropLast() }
    return rest
  }
}
