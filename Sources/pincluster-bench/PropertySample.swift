import ClusterCore
import GeoFormats

/// An index of synthetic places, and what is known of them without it.
final class PropertySample {
  let places: [SamplePlace]
  private let builder: FeatureIndexBuilder
  private(set) var collection: IndexedCollection
  /// By place in the index, the place in ``places``; the same in each index that is built.
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
      for place in run {
        guard case .integer(let number) = index.record(at: place).id.key else { continue }
        order[place] = Int(number) - 1
      }
    }
    self.order = order
  }

  /// Builds the index anew, so that nothing is remembered.
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

  /// A filter that isn't bound yet.
  func filter(_ text: String) throws -> FeatureFilter {
    FeatureFilter(try CQL2.parse(text)) { [collection] name in
      collection.column(named: name, decoder: JSONPropertyDecoder())
    }
  }

  /// The sample place at a place in the index.
  func sample(at place: Int) -> SamplePlace { places[order[place] ?? 0] }
}
