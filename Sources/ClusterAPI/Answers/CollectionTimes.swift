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

extension JSONLiteral {
  /// The first and the last time as OGC API Features describes them.
  static func temporal(_ extent: ClosedRange<Double>?) -> JSONLiteral {
    let ends = [extent?.lowerBound, extent?.upperBound].map { time in
      JSONLiteral.text(time.map { DateTime.text(Int64($0)) })
    }
    return [
      "interval": [.array(ends)], "trs": "http://www.opengis.net/def/uom/ISO-8601/0/Gregorian",
    ]
  }

  /// The names of temporal properties.
  static func temporal(_ properties: TemporalProperties) -> JSONLiteral {
    switch properties {
    case .instant(let name): ["property": .string(name)]
    case .span(let start, let end): ["start": .string(start), "end": .string(end)]
    }
  }
}
