import Glibc

extension FeatureScope {
  /// Takes some of the scope's features apart by rank; nil where there are more ranks than `most`.
  ///
  /// - Parameter forEachRun: calls back with the features' places in the scope, in ascending order; is
  ///   called twice, so that the parts' memory can be had in one piece each.
  func parts(
    by keys: KeyColumn, most: Int, _ forEachRun: ((Range<Int>) -> Void) -> Void
  ) -> [(rank: Int, scope: FeatureScope)]? {
    // A count by rank, later on the part of each, in a table whose untouched pages cost nothing.
    guard let raw = calloc(keys.keys.count, MemoryLayout<UInt32>.stride) else { return nil }
    defer { free(raw) }
    let table = raw.bindMemory(to: UInt32.self, capacity: keys.keys.count)
    var ranks: [Int] = []
    forEachRun { run in
      guard ranks.count <= most else { return }
      for place in run {
        let rank = Int(keys.rank(at: collectionOrdinal(place)))
        if table[rank] == 0 { ranks.append(rank) }
        table[rank] &+= 1
      }
    }
    guard ranks.count <= most else { return nil }
    ranks.sort()
    var parts: [SelectedPoints] = []
    for (number, rank) in ranks.enumerated() {
      parts.append(SelectedPoints(capacity: Int(table[rank])))
      table[rank] = UInt32(number)
    }
    parts.withUnsafeMutableBufferPointer { parts in
      forEachRun { run in
        for place in run {
          let whole = collectionOrdinal(place)
          let number = Int(table[Int(keys.rank(at: whole))])
          parts[number].append(
            UInt32(whole), points.position(at: place), points.reference(at: place))
        }
      }
    }
    return zip(ranks, parts).map { ($0, FeatureScope(index, $1)) }
  }
}

/// Features of a collection on their way into a scope of their own, in index order.
struct SelectedPoints {
  let places: FixedArray<UInt32>
  let positions: FixedArray<Position>
  let references: FixedArray<RecordReference>
  private(set) var count = 0

  /// Room for a number of features, all of which must come.
  init(capacity: Int) {
    places = FixedArray(uninitialized: capacity)
    positions = FixedArray(uninitialized: capacity)
    references = FixedArray(uninitialized: capacity)
  }

  /// Appends a feature by its place in the collection.
  @inline(__always)
  mutating func append(_ place: UInt32, _ position: Position, _ reference: RecordReference) {
    places.pointer[count] = place
    positions.pointer[count] = position
    references.pointer[count] = reference
    count &+= 1
  }
}
