import Texts

extension String {
  /// Whether two field names are equal, ignoring the case of ASCII letters. For those of each answer.
  func isSameField(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    return withBytes { one in
      other.withBytes { two in
        for index in 0..<one.count
        where one[index].lowercasedASCII != two[index].lowercasedASCII { return false }
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
