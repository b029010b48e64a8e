import ClusterCore
import Collections

/// The conditions, groups and statistics of a request, bound to the columns of a collection.
struct BoundProperties {
  var filter: FeatureFilter?
  var grouping: Grouping?
  var statistics = Statistics()
  /// The statistics that annotations carry; nil for none.
  let annotationStatistics: Statistics?

  /// Looks the values up. Those of a property are read from all features on first use; throws
  /// ``ImpossibleRequest/outOfMemory`` if there is no memory for them.
  init(_ options: PropertyOptions, in collection: IndexedCollection) throws(ImpossibleRequest) {
    try collection.checkMemory(for: options)
    filter = try options.filter.map { (filter) throws(ImpossibleRequest) in
      try collection.filter(filter)
    }
    grouping = options.groupBy.map { Grouping(property: $0, keys: collection.keys(of: $0)) }
    statistics.countBy = options.countBy.map(collection.keys)
    statistics.weights = options.weightBy.map { collection.column(of: $0) }
    statistics.aggregates = options.aggregates?.map {
      Statistics.Aggregate(
        name: $0.name, operation: $0.operation,
        column: collection.column(of: $0.property))
    }
    annotationStatistics = options.hasStatistics ? statistics : nil
  }
}
