/// A few places of an index, such as those of the features that are kept apart.
struct OrdinalSet: Sendable {
  /// Ascending, without duplicates.
  let places: [Int]

  init(_ places: some Sequence<Int>) { self.places = Set(places).sorted() }

  var isEmpty: Bool { places.isEmpty }

  func contains(_ place: Int) -> Bool { places.isEmpty ? false : places.contains(place) }

  func intersects(_ range: Range<Int>) -> Bool {
    if places.isEmpty { return false }
    return places.contains { range.contains($0) }
  }
}

extension OrdinalSet {
  /// Calls `body` with the parts of a run between these places, until it returns false.
  func forEachRest(of run: Range<Int>, _ body: (Range<Int>) -> Bool) -> Bool {
    var start = run.lowerBound
    for place in places where run.contains(place) {
      if start < place, !body(start..<place) { return false }
      start = place + 1
    }
    return start < run.upperBound ? body(start..<run.upperBound) : true
  }
}

extension OrdinalSet {
  /// How many of the places lie before one.
  func count(before place: Int) -> Int {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle] < place { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// How many of the places are in a range.
  func count(in range: Range<Int>) -> Int {
    if places.isEmpty { return 0 }
    return count(before: range.upperBound) - count(before: range.lowerBound)
  }

  /// The first place of a range that isn't in the set.
  func firstOther(in range: Range<Int>) -> Int? {
    if places.isEmpty { return range.first }
    var index = count(before: range.lowerBound)
    var place = range.lowerBound
    while index < places.count && places[index] == place {
      (index, place) = (index + 1, place + 1)
    }
    return range.contains(place) ? place : nil
  }
}
