/// Stable least-significant-digit radix sort of 64-bit keys, each carrying a 32-bit value.
///
/// O(n): four passes of 11 bits sort by the upper 44 bits, which tells apart what is more than some
/// ten metres apart; the few keys that agree in all of those are then put in order among themselves.
/// Passes whose digit is the same in all keys are skipped.
struct RadixSort {
  private static let digitBits: UInt64 = 11
  private static let buckets = 1 << 11
  private static let mask: UInt64 = 1 << 11 - 1
  private static let passes = 4
  /// The bits below the passes' digits.
  private static let lowBits: UInt64 = 20
  /// Runs up to here are sorted by insertion, longer ones by two more passes.
  private static let insertionLimit = 32

  private var keys: UnsafeMutablePointer<UInt64>
  private var values: UnsafeMutablePointer<UInt32>
  private var otherKeys: UnsafeMutablePointer<UInt64>
  private var otherValues: UnsafeMutablePointer<UInt32>
  private let count: Int

  /// The scratch memory that sorting `count` pairs needs, in bytes.
  static func scratchBytes(count: Int) -> Int { count * 12 }

  /// Sorts keys and values by the keys, in place.
  static func sort(
    keys: FixedArray<UInt64>, values: FixedArray<UInt32>, scratch: LargeMemory
  ) {
    let count = keys.count
    guard count > 1 else { return }
    precondition(values.count == count && scratch.byteCount >= scratchBytes(count: count))
    let otherKeys = scratch.start.bindMemory(to: UInt64.self, capacity: count)
    let otherValues = (scratch.start + count * 8).bindMemory(to: UInt32.self, capacity: count)
    var sort = RadixSort(
      keys: keys.pointer, values: values.pointer, otherKeys: otherKeys,
      otherValues: otherValues, count: count)
    sort.run()
    if sort.keys != keys.pointer {
      keys.pointer.update(from: sort.keys, count: count)
      values.pointer.update(from: sort.values, count: count)
      (sort.keys, sort.otherKeys) = (sort.otherKeys, sort.keys)
      (sort.values, sort.otherValues) = (sort.otherValues, sort.values)
    }
    sort.finishRuns()
  }

  /// Sorts each run of keys that agree in their upper bits by their lower ones.
  private mutating func finishRuns() {
    var start = 0
    while start < count {
      let high = keys[start] >> RadixSort.lowBits
      var end = start + 1
      var isSorted = true
      while end < count && keys[end] >> RadixSort.lowBits == high {
        if keys[end] < keys[end - 1] { isSorted = false }
        end += 1
      }
      if !isSorted {
        if end - start <= RadixSort.insertionLimit {
          insertionSort(start, end)
        } else {
          sortLowBits(start, end)
        }
      }
      start = end
    }
  }

  private func insertionSort(_ start: Int, _ end: Int) {
    for index in start + 1..<end {
      let (key, value) = (keys[index], values[index])
      var place = index
      while place > start && keys[place - 1] > key {
        keys[place] = keys[place - 1]
        values[place] = values[place - 1]
        place -= 1
      }
      keys[place] = key
      values[place] = value
    }
  }

  /// Two passes over a run, so that it ends up where it was.
  private func sortLowBits(_ start: Int, _ end: Int) {
    var run = RadixSort(
      keys: keys + start, values: values + start, otherKeys: otherKeys + start,
      otherValues: otherValues + start, count: end - start)
    var counts = [UInt32](repeating: 0, count: RadixSort.buckets)
    counts.withUnsafeMutableBufferPointer { buffer in
      guard let offsets = buffer.baseAddress else { return }
      for shift in [0, RadixSort.digitBits] {
        offsets.update(repeating: 0, count: RadixSort.buckets)
        for index in 0..<run.count {
          offsets[Int(run.keys[index] >> shift & RadixSort.mask)] &+= 1
        }
        run.scatter(offsets, shift)
        swap(&run.keys, &run.otherKeys)
        swap(&run.values, &run.otherValues)
      }
    }
  }

  private mutating func run() {
    var histogram = [UInt32](repeating: 0, count: RadixSort.passes * RadixSort.buckets)
    histogram.withUnsafeMutableBufferPointer { histogram in
      guard let counts = histogram.baseAddress else { return }
      tally(counts)
      for pass in 0..<RadixSort.passes {
        let offsets = counts + pass * RadixSort.buckets
        let shift = RadixSort.lowBits + UInt64(pass) * RadixSort.digitBits
        let firstDigit = Int(keys[0] >> shift & RadixSort.mask)
        if offsets[firstDigit] == UInt32(count) { continue }
        scatter(offsets, shift)
        swap(&keys, &otherKeys)
        swap(&values, &otherValues)
      }
    }
  }

  /// Counts the digits of all passes at once.
  private func tally(_ counts: UnsafeMutablePointer<UInt32>) {
    for index in 0..<count {
      var key = keys[index] >> RadixSort.lowBits
      for pass in 0..<RadixSort.passes {
        counts[pass &* RadixSort.buckets &+ Int(key & RadixSort.mask)] &+= 1
        key >>= RadixSort.digitBits
      }
    }
  }

  /// Moves every pair to its bucket, whose size becomes its next free place.
  private func scatter(_ offsets: UnsafeMutablePointer<UInt32>, _ shift: UInt64) {
    var total: UInt32 = 0
    for bucket in 0..<RadixSort.buckets {
      let size = offsets[bucket]
      offsets[bucket] = total
      total &+= size
    }
    for index in 0..<count {
      let key = keys[index]
      let digit = Int(key >> shift & RadixSort.mask)
      let place = Int(offsets[digit])
      offsets[digit] &+= 1
      otherKeys[place] = key
      otherValues[place] = values[index]
    }
  }
}
