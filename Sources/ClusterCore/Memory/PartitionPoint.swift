extension Range<Int> {
  /// The first index for which a condition is false that is true for all indices before it and false for
  /// all after it; the upper bound where it is true for all. O(log n).
  @inlinable @inline(__always)
  public func partitionPoint<E: Error>(where isBefore: (Int) throws(E) -> Bool) throws(E) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = low &+ (high &- low) / 2
      if try isBefore(middle) { low = middle &+ 1 } else { high = middle }
    }
    return low
  }
}

extension RandomAccessCollection where Element: Comparable, Index == Int {
  /// The first index of an element in a collection in ascending order; nil where it isn't in it. O(log n).
  @inline(__always)
  func sortedIndex(of element: Element) -> Int? {
    let index = (startIndex..<endIndex).partitionPoint { self[$0] < element }
    return index < endIndex && self[index] == element ? index : nil
  }
}
