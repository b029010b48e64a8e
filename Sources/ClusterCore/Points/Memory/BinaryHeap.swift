/// Elements of which the least is at hand: O(1) to look at, O(log n) to add and to take.
struct BinaryHeap<Element: Comparable> {
  private var elements: [Element] = []

  var count: Int { elements.count }

  /// The least element.
  var first: Element? { elements.first }

  mutating func insert(_ element: Element) {
    elements.append(element)
    var place = elements.count - 1
    while place > 0, elements[place] < elements[(place - 1) / 2] {
      elements.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  mutating func popFirst() -> Element? {
    guard let first = elements.first, let last = elements.popLast() else { return nil }
    if !elements.isEmpty { replaceFirst(by: last) }
    return first
  }

  /// Puts another element into the place of the first, of which there must be one.
  mutating func replaceFirst(by element: Element) {
    elements[0] = element
    var place = 0
    while 2 * place + 1 < elements.count {
      var child = 2 * place + 1
      if child + 1 < elements.count, elements[child + 1] < elements[child] { child += 1 }
      guard elements[child] < elements[place] else { return }
      elements.swapAt(place, child)
      place = child
    }
  }

  /// The elements in order. O(n log n)
  var sorted: [Element] { elements.sorted() }
}
