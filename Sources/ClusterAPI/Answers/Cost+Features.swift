import ClusterCore
import Collections

extension Cost {
  /// The part of an annotation that a request asks for.
  enum AnnotationPart {
    case itself
    /// At most so many of its features.
    case items(Int)
    /// The hull of its features.
    case hull
    /// Its children; nil for those at the zoom that divides it.
    case children(zoom: Double?)
  }

  /// The cost of a list of collections.
  init(ofListing collections: Int) {
    self.init(nanoseconds: Double(collections) * 8000, bytes: 250 + Double(collections) * 900)
  }

  /// The cost of figures for Prometheus, for each collection a few. Open files are counted one by one.
  init(ofMetrics collections: Int, connections: Int) {
    self.init(
      nanoseconds: 400_000 + Double(collections) * 2000 + Double(connections) * 1000,
      bytes: 20_000 + Double(min(collections, 50)) * 400)
  }

  /// The cost of looking at all properties of all features.
  ///
  /// - Parameter isMostlyKnown: whether most of them were looked at in an earlier version.
  init(ofSurveying collection: IndexedCollection, isMostlyKnown: Bool) {
    self.init()
    if isMostlyKnown {
      nanoseconds += Double(collection.index.count) / 5 + 500_000
      return
    }
    nanoseconds += Double(collection.index.count) * (60 + RecordSample(of: collection).wholeBytes)
  }

  /// The cost of a page of features.
  ///
  /// - Parameters:
  ///   - order: the options for the columns that order the features; nil for index order.
  ///   - properties: those that a feature carries.
  ///   - isPage: whether it is for people, in HTML.
  init(
    ofItems limit: Int, in region: DegreesRegion?, passing filter: FilterExpression?,
    by order: PropertyOptions? = nil, properties: AnnotationOptions.PropertySelection = .all,
    isPage: Bool = false, of collection: IndexedCollection
  ) {
    self.init()
    let estimate = collection.estimate(of: region, passing: filter)
    let seen = estimate.features
    let sample = RecordSample(of: collection, properties)
    add(PropertyOptions(filter: filter), seen: estimate.unfiltered, of: collection, sample)
    if let order {
      add(order, seen: 0, of: collection, sample)
      nanoseconds += seen * 100 * Double(order.valueNames.count)
    }
    let count = min(Double(limit), seen)
    if isPage {
      (nanoseconds, bytes) = (nanoseconds + 50_000, bytes + 3000)
      add(rows: min(count, Double(FeatureTable.mostRows)), sample)
    } else {
      addPage(of: count, sample)
    }
  }

  /// Adds the rows of features in a table for people, which has the first of their properties.
  private mutating func add(rows: Double, _ sample: RecordSample) {
    let shown = min(sample.propertyBytes, 1500)
    nanoseconds += rows * (2000 + shown * 6 + sample.readNanoseconds)
    bytes += rows * (300 + shown * 1.5)
  }

  /// The cost of a feature by itself.
  ///
  /// - Parameter isPage: whether it is for people, in HTML.
  init(ofFeature properties: Int, isPage: Bool) {
    let length = Double(properties)
    self.init(
      nanoseconds: isPage ? 60_000 + length * 8 : 25_000 + length,
      bytes: isPage ? 3000 + length * 2 : 250 + length)
  }

  /// Adds what finding the nearest features costs: of each leaf that holds one of them, all are looked at.
  mutating func add(nearest limit: Int, of collection: IndexedCollection) {
    nanoseconds += 50_000 + Double(min(limit, collection.index.count)) * 1500
  }

  /// Adds the extra cost of a table over JSON: its columns, if they aren't known, and a field in each for each
  /// feature.
  mutating func add(tableOf snapshot: CollectionSnapshot, _ form: FeatureForm, features: Int) {
    let collection = snapshot.collection
    if !form.knowsColumns(of: snapshot) {
      nanoseconds +=
        Cost(ofSurveying: collection, isMostlyKnown: snapshot.surveys.isMostlyKnown).nanoseconds
    }
    let sample = RecordSample(of: collection)
    let most = Double(AnswerLimit.page) / (sample.wholeBytes + Double(AnswerLimit.otherBytes))
    let count = min(Double(min(features, collection.index.count)), max(most, 1))
    nanoseconds += count * (300 + 4 * sample.wholeBytes)
  }

  /// The cost of pins.
  init(ofPins asked: PinRequest, of collection: IndexedCollection) {
    self.init()
    let estimate = collection.estimate(of: asked.region, passing: asked.filter)
    let seen = estimate.features
    let sample = RecordSample(of: collection, asked.properties)
    add(PropertyOptions(filter: asked.filter), seen: estimate.unfiltered, of: collection, sample)
    // More than the limit are refused, which an estimate doesn't tell for sure.
    let count = seen > 2 * Double(asked.limit) ? 0 : min(seen, Double(asked.limit))
    nanoseconds += count * 700
    add(features: count, of: sample, otherBytes: 220)
  }

  /// The cost of locating a feature: a cell at each zoom.
  init(ofLocating request: ViewportRequest, over collection: IndexedCollection) {
    self.init()
    let options = request.values.cell
    let sample = RecordSample(
      of: collection, options.output.properties, title: options.output.neededTitleProperty)
    let properties = options.neededProperties
    switch request.area {
    case .grid(let viewport, _):
      let seen = collection.estimate(of: viewport.cells, passing: properties.filter)
      let mean = max(seen.features / max(seen.cells, 1), 1)
      add(properties, seen: mean, of: collection, sample)
      nanoseconds += 150_000 + mean * 5
      addOne(of: mean, options, collection, sample)
    case .tiles(let viewport):
      let seen = collection.estimate(of: viewport.tiles, passing: properties.filter)
      add(properties, seen: seen.unfiltered, of: collection, sample)
      nanoseconds += 150_000 + seen.features * 300
      addOne(of: max(seen.features.squareRoot(), 1), options, collection, sample)
    }
  }

  /// The cost of an annotation by its id, or of a part of it.
  init(
    of id: AnnotationID?, in viewport: ViewportRequest?, _ options: CellOptions,
    as part: AnnotationPart, over collection: IndexedCollection
  ) {
    self.init()
    let sample = RecordSample(
      of: collection, options.output.properties, title: options.output.neededTitleProperty)
    let properties = options.neededProperties
    if let viewport, case .tiles(let tiles) = viewport.area {
      let seen = collection.estimate(of: tiles.tiles, passing: properties.filter)
      add(properties, seen: seen.unfiltered, of: collection, sample)
      nanoseconds += seen.features * 250
      let mean = max(seen.features.squareRoot(), 1)
      add(part, CellEstimate(features: mean, cells: 4), options, collection, sample)
      return
    }
    guard case .cell(let name) = id else {
      add(properties, seen: 1, of: collection, sample)
      addOne(of: 1, options, collection, sample)
      return
    }
    var finer: CellGrid?
    if case .children(let zoom?) = part {
      finer = CellGrid(zoom: min(max(zoom, 0), 24), cellSize: name.cellSize)
    }
    var seen = collection.estimate(of: name, by: finer, passing: properties.filter)
    if let group = name.group {
      // The group's features are looked for among all of the cell.
      nanoseconds += seen.features * 15
      if let property = group.wholeProperty, !collection.hasKeyColumn(named: property) {
        nanoseconds += Double(collection.index.count) * (120 + sample.wholeBytes * 0.6)
      }
      let share = 1 / Cost.groups(group.wholeProperty, in: collection)
      seen = CellEstimate(features: max(1, seen.features * share), cells: seen.cells * share)
    }
    if name.location != nil { seen = CellEstimate(features: min(seen.features, 2), cells: 1) }
    add(properties, seen: seen.unfiltered, of: collection, sample)
    add(part, seen, options, collection, sample)
  }

  private mutating func add(
    _ part: AnnotationPart, _ seen: CellEstimate, _ options: CellOptions,
    _ collection: IndexedCollection, _ sample: RecordSample
  ) {
    // Where they don't meet the thresholds by themselves, cells that hold them are summed up at several zooms.
    let settings = options.settings
    let threshold = max(settings.minPoints, settings.minUniqueLocationsForClustering)
    if threshold > 2 || settings.minUniqueLocationsForClustering > 1 {
      switch part {
      case .itself, .children(zoom: nil): nanoseconds += seen.features * 20
      default: break
      }
    }
    switch part {
    case .itself:
      nanoseconds += seen.features
      addOne(of: seen.features, options, collection, sample)
    case .hull:
      let hulls = Cost.hulls(ofFeatures: seen.features, clusters: 1)
      (nanoseconds, bytes) = (nanoseconds + hulls.nanoseconds, bytes + hulls.bytes)
    case .items(let limit):
      let whole = RecordSample(of: collection)
      addPage(of: min(Double(limit), seen.features), whole)
    case .children(let zoom):
      // Where the annotation comes apart there are two to four, or a few more.
      let cells = zoom == nil ? min(3, seen.features) : seen.cells
      var children = Annotations(
        CellEstimate(features: seen.features, cells: cells), options.settings, isOff: false,
        groups: 1)
      if children.count > 2 * Double(ClusterRequest.maximumLimit) {
        nanoseconds += children.cells * 300
        return
      }
      children.limit()
      add(children, options, of: collection, sample)
    }
  }

  /// Adds one annotation of some features.
  private mutating func addOne(
    of features: Double, _ options: CellOptions, _ collection: IndexedCollection,
    _ sample: RecordSample
  ) {
    add(
      Annotations(
        CellEstimate(features: features, cells: 1), options.settings, isOff: false, groups: 1),
      options, of: collection, sample)
  }

  /// Adds a page of features, as far as it may be long.
  private mutating func addPage(of features: Double, _ sample: RecordSample) {
    var most = Double(AnswerLimit.page) / (sample.propertyBytes + Double(AnswerLimit.otherBytes))
    if sample.readNanoseconds > 0 {
      most = min(most, Double(AnswerLimit.pageOfRead) / max(sample.wholeBytes, 1))
    }
    let count = min(features, max(most, 1))
    add(features: count, of: sample, otherBytes: 105)
    // The selection of properties is measured on the sample.
    nanoseconds += count * sample.readNanoseconds
  }
}
