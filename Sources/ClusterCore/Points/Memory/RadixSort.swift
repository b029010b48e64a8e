/// A stable radix sort of 64-bit keys that each carry a 32-bit value.
///
/// Runs that exceed the second-level cache are distributed by their highest bits. Runs that fit are
/// sorted in the cache by three digits, lowest first, and by insertion where keys agree in all
/// three. (A pass over main memory costs several times as much as a pass over the cache.)
/// O(n).
struct RadixSort {
  /// The number of pairs that fit the cache twice: 768 KiB.
  private static let cachedCount = 1 << 15
  /// A distribution aims at parts of 2^12 pairs. It writes to a cache line of each at the same time.
  private static let partBits = 12
  private static let maximumPartsBits = 11
  private static let digitBits = 8
  private static let digits = 3
  private static let buckets = 1 << digitBits
  /// The longest run that is sorted by insertion.
  private static let insertionLimit = 24

  private typealias Pairs = (
    keys: UnsafeMutablePointer<UInt64>, values: UnsafeMutablePointer<UInt32>
  )

  /// The caller's arrays, which hold the pairs at the start and at the end.
  private let home: Pairs
  private let scratch: Pairs

  /// Sorts keys and values by the keys, in place. Takes as much memory again meanwhile.
  static func sort(
    keys: UnsafeMutablePointer<UInt64>, values: UnsafeMutablePointer<UInt32>, count: Int
  ) {
    let (otherKeys, otherValues) = (
      WritableArray<UInt64>(count: count), WritableArray<UInt32>(count: count)
    )
    withExtendedLifetime((otherKeys, otherValues)) {
      RadixSort(home: (keys, values), scratch: (otherKeys.pointer, otherValues.pointer))
        .sort(0..<count, bits: UInt64.bitWidth, isHome: true)
    }
  }

  /// Sorts a run whose keys agree in all but their lowest `bits` bits, and leaves it in `home`. The
  /// recursion is at most 17 levels deep: each level handles four bits or more, or the rest.
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

  /// Distributes a run to parts by its highest bits and sorts each part.
  private func distribute(_ run: Range<Int>, bits: Int, isHome: Bool) {
    let wanted = Int.bitWidth - run.count.leadingZeroBitCount - RadixSort.partBits
    let partsBits = min(wanted, RadixSort.maximumPartsBits, bits)
    let shift = UInt64(bits - partsBits)
    let (from, to) = isHome ? (home, scratch) : (scratch, home)
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 1 << partsBits) { ends in
      ends.initialize(repeating: 0)
      tally(from.keys, run, shift, ends)
      if ends.contains(run.count) {
        // All pairs belong to one part.
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

  /// Sorts a run that fits the cache.
  private func sortCached(_ run: Range<Int>, bits: Int, isHome: Bool) {
    let low = max(0, bits - RadixSort.digits * RadixSort.digitBits)
    var isHome = isHome
    withUnsafeTemporaryAllocation(of: Int.self, capacity: RadixSort.buckets) { ends in
      for number in 0..<RadixSort.digits {
        let shift = UInt64(low + number * RadixSort.digitBits)
        let (from, to) = isHome ? (home, scratch) : (scratch, home)
        ends.initialize(repeating: 0)
        tally(from.keys, run, shift, ends)
        // Skip a digit that all keys share.
        let digit = Int(truncatingIfNeeded: from.keys[run.lowerBound] &>> shift)
        if ends[digit & (RadixSort.buckets - 1)] == run.count { continue }
        scatter(from, to, run, shift, ends)
        isHome.toggle()
      }
    }
    if !isHome { bringHome(run) }
    finishRuns(run, low: low)
  }

  /// Sorts each run of keys that agree in all but their lowest `low` bits by these bits.
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
      var slot = index
      while slot > run.lowerBound && keys[slot &- 1] > key {
        keys[slot] = keys[slot &- 1]
        values[slot] = values[slot &- 1]
        slot &-= 1
      }
      keys[slot] = key
      values[slot] = value
    }
  }

  /// Counts a run's keys by digit: the log2(counts.count) bits above `shift`.
  private func tally(
    _ keys: UnsafeMutablePointer<UInt64>, _ run: Range<Int>, _ shift: UInt64,
    _ counts: UnsafeMutableBufferPointer<Int>
  ) {
    guard let start = counts.baseAddress else { return }
    let mask = counts.count &- 1
    for index in run { start[Int(truncatingIfNeeded: keys[index] &>> shift) & mask] &+= 1 }
  }

  /// Moves the pairs of a run to the ranges of their digits, whose ends replace the counts.
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
      let slot = next[digit]
      next[digit] = slot &+ 1
      to.keys[slot] = key
      to.values[slot] = from.values[index]
    }
  }
}
