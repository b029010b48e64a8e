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
      for ordinal in run {
        let rank = Int(keys.rank(at: collectionOrdinal(ordinal)))
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
        for ordinal in run {
          let whole = collectionOrdinal(ordinal)
          let number = Int(table[Int(keys.rank(at: whole))])
          parts[number].append(
            UInt32(whole), points.position(at: ordinal), points.reference(at: ordinal))
        }
      }
    }
    return zip(ranks, parts).map { ($0, FeatureScope(collection, $1)) }
  }
}
