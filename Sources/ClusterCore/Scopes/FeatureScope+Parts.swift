import Glibc
import Threading

extension FeatureScope {
  /// Divides some of the scope's features by the rank of their keys. Returns nil if there are more
  /// ranks than `limit`.
  ///
  /// - Parameter forEachRun: calls its argument with runs of the features' ordinals in the scope,
  ///   in ascending order. It is called twice, the first time to determine the sizes of the parts.
  /// - Throws: ``ImpossibleRequest/outOfMemory``.
  func parts(
    by keys: KeyColumn, most limit: Int, _ forEachRun: ((Range<Int>) -> Void) -> Void
  ) throws(ImpossibleRequest) -> [(rank: Int, scope: FeatureScope)]? {
    // The count by rank, and later the number of the part. Untouched pages cost nothing.
    guard let raw = calloc(keys.keys.count, MemoryLayout<UInt32>.stride) else {
      throw .outOfMemory
    }
    defer { free(raw) }
    let table = raw.bindMemory(to: UInt32.self, capacity: keys.keys.count)
    var ranks: [Int] = []
    var total = 0
    forEachRun { run in
      guard ranks.count <= limit else { return }
      total += run.count
      Interruption.poll(run.count * 5)
      for ordinal in run {
        let rank = Int(keys.rank(at: collectionOrdinal(ordinal)))
        if table[rank] == 0 { ranks.append(rank) }
        table[rank] &+= 1
      }
    }
    guard ranks.count <= limit else { return nil }
    if Interruption.isOver { throw .interrupted }
    ranks.sort()
    return try ImpossibleRequest.withMemory(of: total * 24) {
      var parts: [SelectedPoints] = []
      for (number, rank) in ranks.enumerated() {
        parts.append(SelectedPoints(capacity: Int(table[rank])))
        table[rank] = UInt32(number)
      }
      parts.withUnsafeMutableBufferPointer { parts in
        forEachRun { run in
          Interruption.poll(run.count * 15)
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
}
