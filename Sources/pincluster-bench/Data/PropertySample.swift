import ClusterCore
import GeoFormats

/// An index of synthetic places, and the places themselves.
final class PropertySample {
  let places: [SamplePlace]
  private let builder: FeatureIndexBuilder
  private(set) var collection: IndexedCollection
  /// The index in ``places`` by ordinal; the same for each index that is built.
  let order: [Int: Int]

  init(count: Int) throws {
    places = SamplePlace.places(count, seed: 4)
    var builder = FeatureIndexBuilder(expecting: count)
    for start in stride(from: 0, to: count, by: 10_000) {
      try builder.append(SamplePlace.batch(places[start..<min(start + 10_000, count)]))
    }
    self.builder = builder
    let index = builder.build()
    collection = IndexedCollection(index)
    var order: [Int: Int] = [:]
    index.points.forEachRun { run in
      for ordinal in run {
        guard case .integer(let number) = index.record(at: ordinal).id.key else { continue }
        order[ordinal] = Int(number) - 1
      }
    }
    self.order = order
  }

  /// Builds the index anew, so that nothing is cached.
  func forget() { collection = IndexedCollection(builder.build()) }

  var index: FeatureIndex { collection.index }

  func column(_ name: String) -> PropertyColumn {
    collection.column(named: Array(name.utf8), decoder: JSONPropertyDecoder())
  }

  func keys(_ name: String) -> KeyColumn {
    collection.keyColumn(named: Array(name.utf8), decoder: JSONPropertyDecoder())
  }

  func grouping(_ name: String) -> Grouping {
    Grouping(property: Array(name.utf8), keys: keys(name))
  }

  /// A filter that is not bound yet.
  func filter(_ text: String) throws -> FeatureFilter {
    FeatureFilter(try CQL2.parse(text), of: collection.index) { [collection] name in
      collection.column(name, decoder: JSONPropertyDecoder())
    }
  }

  /// The place with an ordinal.
  func sample(at ordinal: Int) -> SamplePlace { places[order[ordinal] ?? 0] }
}
