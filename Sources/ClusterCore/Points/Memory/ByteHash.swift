/// A hash function for bytes with a random key per process, so clients can't construct collisions.
enum ByteHash {
  private static let key: (start: UInt64, word: UInt64, end: UInt64) = {
    var generator = SystemRandomNumberGenerator()
    return (generator.next(), generator.next() | 1, generator.next() | 1)
  }()

  /// Returns the hash of some bytes and a flag.
  @inline(__always)
  static func hash(_ bytes: UnsafeRawBufferPointer, flag: Bool = false) -> UInt64 {
    let key = self.key
    let count = bytes.count
    var hash = key.start ^ (UInt64(truncatingIfNeeded: count) << 1 | (flag ? 1 : 0))
    var index = 0
    while index + 8 < count {
      hash = mixed(hash ^ word(bytes, index), key.word)
      index += 8
    }
    return mixed(mixed(hash ^ lastWord(bytes), key.word), key.end)
  }

  /// Returns the hash of a word.
  @inline(__always)
  static func hash(_ word: UInt64) -> UInt64 {
    let key = self.key
    return mixed(word ^ key.start, key.word)
  }

  @inline(__always)
  private static func mixed(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let (high, low) = a.multipliedFullWidth(by: b)
    return high ^ low
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> UInt64 {
    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
  }

  /// Returns the last eight bytes, or all bytes if there are fewer.
  @inline(__always)
  private static func lastWord(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let count = bytes.count
    if count >= 8 { return word(bytes, count - 8) }
    if count >= 4 {
      let first = bytes.loadUnaligned(as: UInt32.self)
      let last = bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
      return UInt64(first) << 32 | UInt64(last)
    }
    var result: UInt64 = 0
    for byte in bytes { result = result << 8 | UInt64(byte) }
    return result
  }
}
