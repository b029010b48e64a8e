import Collections
import FeatureStore

/// Figures of the largest collections one by one, and of all others together.
struct CollectionFigures {
  /// The most collections that have figures of their own.
  private static let most = 50
  /// Stands for the others. No collection can have this id.
  private static let others = "(others)"

  /// The number of collections.
  let count: Int
  /// By id.
  private let largest: [CollectionSnapshot]
  private let rest: [CollectionSnapshot]

  init(_ catalog: Catalog) {
    var all = catalog.all
    count = all.count
    guard count > CollectionFigures.most else {
      (largest, rest) = (all, [])
      return
    }
    all.sort { ($1.index.count, $0.info.id) < ($0.index.count, $1.info.id) }
    rest = Array(all[CollectionFigures.most...])
    largest = all[..<CollectionFigures.most].sorted { $0.info.id < $1.info.id }
  }

  /// The labels and values of a gauge.
  func samples(of value: (CollectionSnapshot) -> Int) -> [(String, String)] {
    var samples = largest.map { ("{collection=\"\($0.info.id)\"}", "\(value($0))") }
    if !rest.isEmpty {
      let sum = rest.reduce(0) { $0 + value($1) }
      samples.append(("{collection=\"\(CollectionFigures.others)\"}", "\(sum)"))
    }
    return samples
  }
}
