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
  ) throws(ImpossibleRequest) -> [(rank: Int, selection: FeatureSelection)]? {
    // The count by rank, and later the place of the next ordinal. Untouched pages cost nothing.
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
      Cancellation.poll(run.count * 5)
      for ordinal in run {
        let rank = Int(keys.rank(at: collectionOrdinal(ordinal)))
        if table[rank] == 0 { ranks.append(rank) }
        table[rank] &+= 1
      }
    }
    guard ranks.count <= limit else { return nil }
    if Cancellation.isOver { throw .cancelled }
    ranks.sort()
    return try ImpossibleRequest.withMemory(of: total * 24) {
      // The ordinals of all parts, one part after the other, and the place of the next one of each.
      let ordinals = WritableArray<UInt32>(count: total)
      var (starts, next): ([Int], UInt32) = ([], 0)
      for rank in ranks {
        starts.append(Int(next))
        (table[rank], next) = (next, next + table[rank])
      }
      forEachRun { run in
        Cancellation.poll(run.count * 15)
        for ordinal in run {
          let whole = collectionOrdinal(ordinal)
          let rank = Int(keys.rank(at: whole))
          ordinals.pointer[Int(table[rank])] = UInt32(whole)
          table[rank] &+= 1
        }
      }
      let all = ordinals.fixed
      return zip(ranks, starts).map { rank, start in
        (rank, FeatureSelection(all.slice(start..<Int(table[rank])), of: collection.index.points))
      }
    }
  }
}
