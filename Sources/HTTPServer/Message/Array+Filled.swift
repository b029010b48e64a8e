extension [UInt8] {
  /// Returns an array of `size` bytes, all of which `fill` writes.
  static func ofSize(_ size: Int, fill: (UnsafeMutablePointer<UInt8>) -> Void) -> [UInt8] {
    ofAtMost(size) {
      fill($0)
      return size
    }
  }

  /// Returns an array of the bytes that `fill` writes into `size` bytes of memory; it returns their count.
  @inline(__always)
  static func ofAtMost(_ size: Int, fill: (UnsafeMutablePointer<UInt8>) -> Int) -> [UInt8] {
    // For 0 bytes the initializer would write a count into the storage that all empty arrays share.
    guard size > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      guard let base = buffer.baseAddress else { return }
      count = fill(base)
    }
  }
}
