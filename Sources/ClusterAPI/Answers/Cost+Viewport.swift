import ClusterCore
import Glibc

extension Cost {
  /// The annotations of a view, or of the children of one.
  struct Annotations {
    /// About the number of features, of cells that hold some, and of clusters and pins.
    var (features, cells, clusters, pins) = (0.0, 0.0, 0.0, 0.0)
    /// About the number of features, whether or not they pass the filter.
    let unfiltered: Double

    /// Those of clustering on a grid.
    init(_ estimate: CellEstimate, _ settings: ClusterSettings, isOff: Bool, groups: Double) {
      (features, unfiltered) = (estimate.features, estimate.unfiltered)
      cells = min(estimate.cells, features)
      guard cells > 0 else { return }
      cells = min(cells * max(1, min(groups, features / cells)), features)
      if isOff {
        pins = features
        return
      }
      let mean = features / cells
      // Real places come in crowds: even where a cell has several on average, many have one.
      pins = cells / (1 + 0.8 * (mean - 1))
      clusters = cells - pins
      let threshold = Double(max(settings.minPoints, settings.minUniqueLocationsForClustering))
      if threshold > 2 {
        let small = clusters * (threshold - 2) / (threshold - 2 + mean)
        clusters -= small
        pins += small * min(threshold / 2, mean)
      }
    }

    /// Those of a method without a grid in a part of the world of some cells.
    init(_ estimate: CellEstimate, of total: Double, isDistance: Bool) {
      (features, unfiltered) = (estimate.features, estimate.unfiltered)
      cells = min(estimate.cells, features)
      // Where most cells hold features, nearly all are linked.
      let free = max(1 - cells / max(total, 1), 0.15)
      if isDistance { cells = max(cells * free * free, min(cells, 1)) }
      pins = cells > 0 ? cells / (1 + 0.8 * (features / cells - 1)) : 0
      clusters = cells - pins
    }

    var count: Double { clusters + pins }

    /// An answer has at most so many.
    mutating func limit() {
      let share = min(1, Double(ClusterRequest.maximumLimit) / max(count, 1))
      (clusters, pins) = (clusters * share, pins * share)
    }
  }

  /// The cost of a viewport.
  ///
  /// - Parameter part: the cells that must be clustered, if the others are known.
  init(
    of request: ViewportRequest, in part: GridRange? = nil, over collection: IndexedCollection
  ) {
    self.init()
    let values = request.values
    let options = values.cell
    let filter = options.neededProperties.filter
    let groups = Cost.groups(options.properties.groupBy, in: collection)
    var found: Annotations
    switch request.area {
    case .grid(let viewport, _):
      found = Annotations(
        collection.estimate(of: part ?? viewport.cells, passing: filter), options.settings,
        isOff: options.settings.isClusteringOff(atZoom: viewport.zoomLevel), groups: groups)
      // The nodes that grid lines cross are opened.
      let mean = found.features / max(found.cells, 1)
      nanoseconds += found.cells * (200 + 100 * mean.squareRoot()) + viewport.cells.count
      // Locations are counted by looking at all features across grid lines.
      if options.settings.minUniqueLocationsForClustering > 1 { nanoseconds += found.features * 4 }
      if values.debug {
        nanoseconds += found.cells * 250 + viewport.cells.count * 1500
        bytes += viewport.cells.count * 330
      }
    case .tiles(let viewport):
      let reach = Cost.reach(of: values, at: viewport.zoomLevel)
      let perTile = viewport.tiles.grid.cellMapSize / reach
      found = Annotations(
        collection.estimate(of: viewport.tiles, cellSize: reach, passing: filter),
        of: viewport.tiles.count * perTile * perTile, isDistance: values.method == .distance)
      nanoseconds += found.features * 180
      // Each cluster is clustered alone at some zooms.
      if options.output.needsExpansion { nanoseconds += found.features * 900 }
      if options.output.needsHull { nanoseconds += found.features * 40 }
    }
    let isTooMany = found.count > 2 * Double(ClusterRequest.maximumLimit)
    let seen = found.features
    found.limit()
    let sample = RecordSample(
      of: collection, options.output.properties, title: options.output.neededTitleProperty)
    add(
      options.neededProperties, seen: found.unfiltered,
      isSummedUp: request.needs.isSubset(of: .sums), of: collection, sample)
    add(titles: options.output.neededTitleProperty, of: collection, sample)
    if !isTooMany { add(found, options, of: collection, sample) }
    if let histogram = values.histogram {
      // The temporal properties aren't known here, but times are read as quickly as values.
      let isRead = [ColumnName.Reading.values, .times].contains {
        collection.hasColumn(ColumnName(histogram.property, $0))
      }
      if !isRead {
        nanoseconds += Double(collection.index.count) * (60 + sample.wholeBytes * 0.6)
      }
      nanoseconds += seen * 8
      bytes += Double(histogram.bins) * 8 + 100
    }
    if let previous = values.previous { add(previous: Double(previous.count), found) }
  }

  /// Adds the annotations of a view.
  mutating func add(
    _ found: Annotations, _ options: CellOptions, of collection: IndexedCollection,
    _ sample: RecordSample
  ) {
    let (fields, output) = (options.output.fields, options.output)
    var each = 32.0
    for (field, size) in Cost.fieldBytes where fields.contains(field) { each += size }
    if output.isGeoJSON { each += 230 }
    bytes += found.count * each
    nanoseconds += found.count * (450 + each)
    if fields.contains(.feature) { add(features: found.pins, of: sample, otherBytes: 40) }
    let inClusters = max(found.features - found.pins, 0)
    let mean = found.clusters > 0 ? inClusters / found.clusters : 0
    if output.members > 0, fields.contains(.members) {
      let members = min(Double(output.members), mean.squareRoot() * 2 + 1, mean)
      add(features: found.clusters * members, of: sample, otherBytes: 95)
    }
    if output.neededTitleProperty != nil {
      let titles = min(Double(output.subtitleLimit), mean.squareRoot() * 2 + 1, mean)
      let all = found.clusters * titles + found.pins
      bytes += all * sample.titleBytes
      nanoseconds += all * (150 + sample.wholeBytes / 2)
    }
    if options.settings.decluster { bytes += found.pins * 90 }
    if output.needsExpansion {
      nanoseconds += found.clusters * 3000
      bytes += found.clusters * 120
    }
    if output.needsHull {
      let hulls = Cost.hulls(ofFeatures: inClusters, clusters: found.clusters)
      (nanoseconds, bytes) = (nanoseconds + hulls.nanoseconds, bytes + hulls.bytes)
    }
    add(statisticsOf: found, options, mean: mean, collection)
  }

  /// The cost of the hulls of some clusters, if their features lie at random places: a hull then has
  /// corners like the logarithm of their number, and features near its edge like its root.
  static func hulls(ofFeatures features: Double, clusters: Double) -> Cost {
    guard clusters > 0 else { return Cost(nanoseconds: 0, bytes: 0) }
    let mean = max(features / clusters, 1)
    let corners = min(mean, 2 + 2.7 * log(mean))
    let looked = min(mean, 40 * mean.squareRoot())
    return Cost(
      nanoseconds: clusters * (2000 + looked * 60 + corners * 1200),
      bytes: clusters * (60 + corners * 42))
  }

  private mutating func add(
    statisticsOf found: Annotations, _ options: CellOptions, mean: Double,
    _ collection: IndexedCollection
  ) {
    let properties = options.neededProperties
    guard properties.hasStatistics else { return }
    nanoseconds += found.count * 500
    if properties.weightBy != nil {
      nanoseconds += found.features * 12
      bytes += found.count * 20
    }
    if let countBy = properties.countBy {
      let keys = Cost.groups(countBy, in: collection) * 1.5
      let counted = min(keys, Double(Statistics.maximumCounts), 1 + mean.squareRoot() * 2)
      nanoseconds += found.features * 10 + found.count * counted * 250
      bytes += found.count * (30 + counted * 15)
    }
    let aggregates = properties.aggregates ?? []
    nanoseconds += Double(Set(aggregates.map(\.property)).count) * found.features * 4
    // Each is taken from sorted values. Too many are refused.
    let values = min(found.features, Double(Statistics.maximumValues))
    nanoseconds += Double(aggregates.count { $0.operation.needsValues }) * values * 60
    for aggregate in aggregates {
      bytes += found.count * Double(aggregate.name.count + 14)
      nanoseconds += found.count * 120
    }
  }

  private mutating func add(previous count: Double, _ found: Annotations) {
    nanoseconds += count * 1200 + found.count * 1500
    bytes += count * 30 + found.count * 45
  }

  /// About the number of different values of a property in a cell.
  static func groups(_ property: [UInt8]?, in collection: IndexedCollection) -> Double {
    guard let property else { return 1 }
    return collection.valuesNearby(of: property) ?? 4
  }

  /// How far apart the annotations of a method without a grid are, in map points.
  private static func reach(of values: ViewportValues, at zoomLevel: Double) -> Double {
    let points =
      values.method == .distance
      ? values.epsilon * 1.6 : (values.markers.width * values.markers.height).squareRoot() * 1.3
    return points * WebMercator.worldSize / (256 * exp2(zoomLevel))
  }

  /// About the bytes of the members of an annotation.
  private static let fieldBytes: [(AnnotationFields, Double)] = [
    (.coordinate, 70), (.count, 11), (.isCluster, 17), (.isUniqueLocation, 25), (.bbox, 62),
    (.title, 28), (.subtitle, 16),
  ]
}
