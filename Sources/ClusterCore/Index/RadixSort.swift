/// Stable least-significant-digit radix sort of 64-bit keys, each carrying a 32-bit value.
///
/// O(n) with at most six passes of 11 bits; passes whose digit is the same in all keys are skipped.
/// Uses n·12 bytes beside its input.
enum RadixSort {
  private static let digitBits = 11
  private static let buckets = 1 << digitBits
  private static let passes = 6

  /// Sorts both arrays, `count` long, by the keys.
  static func sort(
    keys: inout FixedArray<UInt64>, values: inout FixedArray<UInt32>
  ) {
    let count = keys.count
    guard count > 1 else { return }
    let histogram = FixedArray<UInt32>(uninitialized: passes * buckets)
    histogram.pointer.update(repeating: 0, count: passes * buckets)
    let counts = histogram.pointer
    for index in 0..<count {
      var key = keys.pointer[index]
      for pass in 0..<passes {
        counts[pass * buckets + Int(key & UInt64(buckets - 1))] &+= 1
        key >>= UInt64(digitBits)
      }
    }
    var otherKeys = FixedArray<UInt64>(uninitialized: count)
    var otherValues = FixedArray<UInt32>(uninitialized: count)
    for pass in 0..<passes {
      let offsets = counts + pass * buckets
      let shift = UInt64(pass * digitBits)
      let firstDigit = Int(keys.pointer[0] >> shift & UInt64(buckets - 1))
      if offsets[firstDigit] == UInt32(count) { continue }
      var total: UInt32 = 0
      for bucket in 0..<buckets {
        let size = offsets[bucket]
        offsets[bucket] = total
        total &+= size
      }
      let (source, values0) = (keys.pointer, values.pointer)
      let (target, values1) = (otherKeys.pointer, otherValues.pointer)
      for index in 0..<count {
        let key = source[index]
        let digit = Int(key >> shift & UInt64(buckets - 1))
        let place = Int(offsets[digit])
        offsets[digit] &+= 1
        target[place] = key
        values1[place] = values0[index]
      }
      swap(&keys, &otherKeys)
      swap(&values, &otherValues)
    }
  }
}
