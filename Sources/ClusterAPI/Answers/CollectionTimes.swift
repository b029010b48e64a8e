import ClusterCore
import Collections
import FeatureStore
import GeoFormats

/// When the features of a collection were or are.
struct CollectionTimes {
  private let temporal: TemporalProperties
  private let collection: IndexedCollection

  /// Nil if the collection has no temporal properties.
  init?(_ temporal: TemporalProperties?, of collection: IndexedCollection) {
    guard let temporal else { return nil }
    (self.temporal, self.collection) = (temporal, collection)
  }

  /// The columns with the times.
  private var columnNames: [ColumnName] {
    temporal.names.flatMap { name in
      [.times, .days].map { ColumnName(Array(name.utf8), $0) }
    }
  }

  /// Whether the first and the last are found without reading features, or all but.
  var areKnown: Bool {
    collection.index.count <= CollectionTimes.few || columnNames.allSatisfy(collection.hasColumn)
  }

  /// The features that are read in a fraction of a millisecond.
  private static let few = 1000

  /// The first and the last millisecond since 1970; nil if no feature has a time. Reads all features unless
  /// their times are known; throws ``ImpossibleRequest/outOfMemory`` if there is no memory for that.
  func extent() throws(ImpossibleRequest) -> ClosedRange<Double>? {
    try collection.checkMemory(forColumns: columnNames)
    let extents = columnNames.compactMap { collection.column($0).extent }
    guard let first = extents.map(\.lowerBound).min(), let last = extents.map(\.upperBound).max()
    else { return nil }
    return first...last
  }
}

extension JSONWriter {
  /// Writes the first and the last time as OGC API Features describes them.
  mutating func temporalExtent(_ extent: ClosedRange<Double>?) {
    object("temporal") { json in
      json.array("interval") { json in
        json.array { json in
          for time in [extent?.lowerBound, extent?.upperBound] {
            if let time { json.value(DateTime.text(Int64(time))) } else { json.null() }
          }
        }
      }
      json.member("trs", "http://www.opengis.net/def/uom/ISO-8601/0/Gregorian")
    }
  }

  /// Writes the names of temporal properties.
  mutating func temporalProperties(_ temporal: TemporalProperties) {
    object("temporal") { json in
      switch temporal {
      case .instant(let name): json.member("property", name)
      case .span(let start, let end):
        json.member("start", start)
        json.member("end", end)
      }
    }
  }
}
