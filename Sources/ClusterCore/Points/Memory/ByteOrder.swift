import Glibc

/// Lexicographic comparison of bytes.
enum ByteOrder {
  /// Returns a negative number, zero or a positive number if `a` precedes, equals or follows `b`.
  @inline(__always)
  static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    let common = min(a.count, b.count)
    if common > 0, let p = a.baseAddress, let q = b.baseAddress {
      let order = memcmp(p, q, common)
      if order != 0 { return Int(order) }
    }
    return a.count - b.count
  }

  /// Returns whether `a` and `b` hold the same bytes.
  @inline(__always)
  static func areEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    guard a.count == b.count else { return false }
    guard a.count > 0, let p = a.baseAddress, let q = b.baseAddress else { return true }
    return memcmp(p, q, a.count) == 0
  }
}
