/// A few ordinals of an index, such as those of the features that are kept apart.
struct OrdinalSet: Sendable {
  /// Ascending, without duplicates.
  let ordinals: [Int]

  init(_ ordinals: some Sequence<Int>) { self.ordinals = Set(ordinals).sorted() }

  var isEmpty: Bool { ordinals.isEmpty }

  func contains(_ ordinal: Int) -> Bool { ordinals.isEmpty ? false : ordinals.contains(ordinal) }

  func intersects(_ range: Range<Int>) -> Bool {
    if ordinals.isEmpty { return false }
    return ordinals.contains { range.contains($0) }
  }

  /// Calls `body` with what remains of a run without these ordinals. Stops and returns false if it does.
  func forEachRest(of run: Range<Int>, _ body: (Range<Int>) -> Bool) -> Bool {
    var start = run.lowerBound
    for ordinal in ordinals where run.contains(ordinal) {
      if start < ordinal, !body(start..<ordinal) { return false }
      start = ordinal + 1
    }
    return start < run.upperBound ? body(start..<run.upperBound) : true
  }

  /// Returns the number of ordinals in the set that precede `ordinal`.
  func count(before ordinal: Int) -> Int {
    ordinals.indices.partitionPoint { ordinals[$0] < ordinal }
  }

  /// Returns the number of ordinals in the set that are in `range`.
  func count(in range: Range<Int>) -> Int {
    if ordinals.isEmpty { return 0 }
    return count(before: range.upperBound) - count(before: range.lowerBound)
  }

  /// Returns the first ordinal of `range` that isn't in the set.
  func firstOther(in range: Range<Int>) -> Int? {
    if ordinals.isEmpty { return range.first }
    var index = count(before: range.lowerBound)
    var ordinal = range.lowerBound
    while index < ordinals.count && ordinals[index] == ordinal {
      (index, ordinal) = (index + 1, ordinal + 1)
    }
    return range.contains(ordinal) ? ordinal : nil
  }
}
