extension Range<Int> {
  /// Returns the first index for which a condition is false, or the upper bound if there is none.
  /// The condition must be true for all indices before it and false for all after it.
  ///
  /// - Throws: the error of the condition.
  /// - Complexity: O(log n).
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
  /// Returns the index of an element in a sorted collection, or nil if it isn't there. O(log n).
  @inline(__always)
  func sortedIndex(of element: Element) -> Int? {
    let index = (startIndex..<endIndex).partitionPoint { self[$0] < element }
    return index < endIndex && self[index] == element ? index : nil
  }
}
