/// Stable radix sort of 64-bit keys, each carrying a 32-bit value.
///
/// O(n). What doesn't fit the processor's second cache is distributed by its highest bits, part by part;
/// what fits is sorted there, by three digits from the lowest on and then by insertion where keys agree in
/// all of those. (Passes over all of the memory cost several times what passes over the cache do.)
struct RadixSort {
  /// How many pairs fit the cache twice: 768 KiB.
  private static let cachedCount = 1 << 15
  /// What is distributed has so many pairs a part in the mean, and at most 2^11 parts, for as many lines
  /// of memory are written at a time.
  private static let partBits = 12
  private static let maximumPartsBits = 11
  private static let digitBits = 8
  private static let digits = 3
  private static let buckets = 1 << digitBits
  /// Runs up to here are sorted by insertion.
  private static let insertionLimit = 24

  private typealias Pairs = (
    keys: UnsafeMutablePointer<UInt64>, values: UnsafeMutablePointer<UInt32>
  )

  /// Where the pairs are at the beginning and at the end.
  private let home: Pairs
  private let scratch: Pairs

  /// The scratch memory that sorting `count` pairs needs, in bytes.
  static func scratchBytes(count: Int) -> Int { count * 12 }

  /// Sorts keys and values by the keys, in place.
  static func sort(
    keys: FixedArray<UInt64>, values: FixedArray<UInt32>, scratch: LargeMemory
  ) {
    let count = keys.count
    precondition(values.count == count && scratch.byteCount >= scratchBytes(count: count))
    RadixSort(
      home: (keys.pointer, values.pointer),
      scratch: (
        scratch.start.bindMemory(to: UInt64.self, capacity: count),
        (scratch.start + count * 8).bindMemory(to: UInt32.self, capacity: count)
      )
    ).sort(0..<count, bits: UInt64.bitWidth, isHome: true)
  }

  /// Sorts a run whose keys agree in all but their lowest bits. It may be in the scratch memory, and comes
  /// home. The recursion is at most 17 deep: each level deals with four bits or more, or all that are left.
  private func sort(_ run: Range<Int>, bits: Int, isHome: Bool) {
    if run.count <= RadixSort.insertionLimit || bits == 0 {
      if !isHome { bringHome(run) }
      insertionSort(run)
    } else if run.count <= RadixSort.cachedCount {
      sortCached(run, bits: bits, isHome: isHome)
    } else {
      distribute(run, bits: bits, isHome: isHome)
    }
  }

  /// Moves a run to parts by its highest bits, and sorts those.
  private func distribute(_ run: Range<Int>, bits: Int, isHome: Bool) {
    let wanted = Int.bitWidth - run.count.leadingZeroBitCount - RadixSort.partBits
    let partsBits = min(wanted, RadixSort.maximumPartsBits, bits)
    let shift = UInt64(bits - partsBits)
    let (from, to) = isHome ? (home, scratch) : (scratch, home)
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 1 << partsBits) { ends in
      ends.initialize(repeating: 0)
      tally(from.keys, run, shift, ends)
      if ends.contains(run.count) {
        // All in one part: there is nothing to move.
        sort(run, bits: Int(shift), isHome: isHome)
        return
      }
      scatter(from, to, run, shift, ends)
      var start = run.lowerBound
      for end in ends {
        if start < end { sort(start..<end, bits: Int(shift), isHome: !isHome) }
        start = end
      }
    }
  }

  /// Sorts a run that the cache holds.
  private func sortCached(_ run: Range<Int>, bits: Int, isHome: Bool) {
    let low = max(0, bits - RadixSort.digits * RadixSort.digitBits)
    var isHome = isHome
    withUnsafeTemporaryAllocation(of: Int.self, capacity: RadixSort.buckets) { ends in
      for number in 0..<RadixSort.digits {
        let shift = UInt64(low + number * RadixSort.digitBits)
        let (from, to) = isHome ? (home, scratch) : (scratch, home)
        ends.initialize(repeating: 0)
        tally(from.keys, run, shift, ends)
        // Where all have the same digit there is nothing to move.
        let digit = Int(truncatingIfNeeded: from.keys[run.lowerBound] &>> shift)
        if ends[digit & (RadixSort.buckets - 1)] == run.count { continue }
        scatter(from, to, run, shift, ends)
        isHome.toggle()
      }
    }
    if !isHome { bringHome(run) }
    finishRuns(run, low: low)
  }

  /// Sorts each run of keys that agree in all but their lowest bits by these.
  private func finishRuns(_ all: Range<Int>, low: Int) {
    let keys = home.keys
    var start = all.lowerBound
    while start < all.upperBound {
      let high = keys[start] >> UInt64(low)
      var end = start &+ 1
      var isSorted = true
      while end < all.upperBound && keys[end] >> UInt64(low) == high {
        if keys[end] < keys[end &- 1] { isSorted = false }
        end &+= 1
      }
      if !isSorted { sort(start..<end, bits: low, isHome: true) }
      start = end
    }
  }

  private func bringHome(_ run: Range<Int>) {
    let start = run.lowerBound
    (home.keys + start).update(from: scratch.keys + start, count: run.count)
    (home.values + start).update(from: scratch.values + start, count: run.count)
  }

  private func insertionSort(_ run: Range<Int>) {
    let (keys, values) = home
    for index in run.dropFirst() {
      let (key, value) = (keys[index], values[index])
      var place = index
      while place > run.lowerBound && keys[place &- 1] > key {
        keys[place] = keys[place &- 1]
        values[place] = values[place &- 1]
        place &-= 1
      }
      keys[place] = key
      values[place] = value
    }
  }

  /// Counts a run's keys by a digit: as many bits from `shift` on as there are counts for.
  private func tally(
    _ keys: UnsafeMutablePointer<UInt64>, _ run: Range<Int>, _ shift: UInt64,
    _ counts: UnsafeMutableBufferPointer<Int>
  ) {
    guard let start = counts.baseAddress else { return }
    let mask = counts.count &- 1
    for index in run { start[Int(truncatingIfNeeded: keys[index] &>> shift) & mask] &+= 1 }
  }

  /// Moves every pair of a run to the others of its digit, whose count becomes their end.
  private func scatter(
    _ from: Pairs, _ to: Pairs, _ run: Range<Int>, _ shift: UInt64,
    _ ends: UnsafeMutableBufferPointer<Int>
  ) {
    guard let next = ends.baseAddress else { return }
    var start = run.lowerBound
    for digit in 0..<ends.count {
      let count = next[digit]
      next[digit] = start
      start &+= count
    }
    let mask = ends.count &- 1
    for index in run {
      let key = from.keys[index]
      let digit = Int(truncatingIfNeeded: key &>> shift) & mask
      let place = next[digit]
      next[digit] = place &+ 1
      to.keys[place] = key
      to.values[place] = from.values[index]
    }
  }
}
