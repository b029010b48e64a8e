import Glibc

/// Texts as bytes: how they compare.
enum ByteOrder {
  /// Negative, zero or positive as `a` comes before `b`, is the same, or comes after it.
  @inline(__always)
  static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    let common = min(a.count, b.count)
    if common > 0, let p = a.baseAddress, let q = b.baseAddress {
      let order = memcmp(p, q, common)
      if order != 0 { return Int(order) }
    }
    return a.count - b.count
  }

  /// Whether both are the same.
  @inline(__always)
  static func areEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    guard a.count == b.count else { return false }
    guard a.count > 0, let p = a.baseAddress, let q = b.baseAddress else { return true }
    return memcmp(p, q, a.count) == 0
  }
}
