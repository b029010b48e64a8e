import Glibc

extension ArraySlice<UInt8> {
  /// The index of the first occurrence of a nonempty text from `start` on.
  func firstIndex(of text: StaticString, from start: Int? = nil) -> Int? {
    withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return nil }
      let length = text.utf8CodeUnitCount
      var offset = (start ?? startIndex) - startIndex
      while offset + length <= bytes.count {
        let room = bytes.count - length + 1 - offset
        guard let found = memchr(base + offset, Int32(text.utf8Start[0]), room) else { return nil }
        if memcmp(found, text.utf8Start, length) == 0 {
          return startIndex + base.distance(to: UnsafeRawPointer(found))
        }
        offset = base.distance(to: UnsafeRawPointer(found)) + 1
      }
      return nil
    }
  }

  /// The number whose digits begin at an index.
  func integer(at start: Int) -> Int {
    self[start...].prefix { (0x30...0x39).contains($0) }.reduce(0) { $0 &* 10 &+ Int($1) - 0x30 }
  }

  /// The sum of all numbers after a key, given as `"key":`.
  func sum(of key: StaticString) -> Int {
    var total = 0
    var index = startIndex
    while let found = firstIndex(of: key, from: index) {
      index = found + key.utf8CodeUnitCount
      total += integer(at: index)
    }
    return total
  }

  /// The number after the first occurrence of a text; NaN if there is none.
  func number(after text: StaticString) -> Double {
    guard let index = firstIndex(of: text) else { return .nan }
    let digits = self[(index + text.utf8CodeUnitCount)...].prefix {
      (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0)
    }
    return Double(String(decoding: digits, as: UTF8.self)) ?? .nan
  }
}
