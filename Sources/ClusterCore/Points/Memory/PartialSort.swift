import Threading

/// Sorting as far as some places need it.
enum PartialSort {
  /// The longest range that is sorted by insertion.
  private static let insertionLimit = 16

  /// Moves those elements to a range of places that belong there in a strict order.
  ///
  /// If it is cancelled, the elements are in any order.
  ///
  /// - Complexity: O(n + m log m) comparisons on average for m places of n elements, whatever the elements, as pivots are
  ///   random.
  /// - Parameter nanoseconds: about the time that a comparison takes.
  static func arrange<Element>(
    _ items: UnsafeMutableBufferPointer<Element>, _ places: Range<Int>, nanoseconds: Int,
    by precedes: (Element, Element) -> Bool
  ) {
    var generator = SystemRandomNumberGenerator()
    var ranges = [0..<items.count]
    while let range = ranges.popLast() {
      guard range.count > 1, range.overlaps(places), !Cancellation.isOver else { continue }
      if range.count <= insertionLimit {
        Cancellation.poll(range.count * 4 * nanoseconds)
        insert(items, range, by: precedes)
        continue
      }
      let pivot = items[Int.random(in: range, using: &generator)]
      var (low, high) = (range.lowerBound, range.upperBound - 1)
      // C. A. R. Hoare, "Quicksort", 1962.
      while low <= high {
        if Cancellation.poll(nanoseconds) { return }
        while precedes(items[low], pivot) {
          low += 1
          Cancellation.poll(nanoseconds)
        }
        while precedes(pivot, items[high]) {
          high -= 1
          Cancellation.poll(nanoseconds)
        }
        guard low <= high else { break }
        items.swapAt(low, high)
        low += 1
        high -= 1
      }
      if range.lowerBound < high + 1 { ranges.append(range.lowerBound..<high + 1) }
      if low < range.upperBound { ranges.append(low..<range.upperBound) }
    }
  }

  private static func insert<Element>(
    _ items: UnsafeMutableBufferPointer<Element>, _ range: Range<Int>,
    by precedes: (Element, Element) -> Bool
  ) {
    for next in range.dropFirst() {
      let item = items[next]
      var place = next
      while place > range.lowerBound, precedes(item, items[place - 1]) {
        items[place] = items[place - 1]
        place -= 1
      }
      items[place] = item
    }
  }
}
