import Threading

extension FeatureScope {
  /// Creates the scope of a collection's features that pass a filter, at least those in a region.
  init(
    _ collection: IndexedCollection, passing filter: FeatureFilter?, nearAny region: AnyRegion
  ) {
    let plan = FilterPlan(filter, of: collection, near: region)
    self.init(collection, passing: filter, nearAny: region, by: plan)
  }

  /// The same in a given way.
  init(
    _ collection: IndexedCollection, passing filter: FeatureFilter?, nearAny region: AnyRegion,
    by plan: FilterPlan
  ) {
    guard let filter, plan != .everything else {
      self.init(collection)
      return
    }
    switch plan {
    case .addedUp(let keepsBits):
      let masks = keepsBits ? filter.rest.flatMap { collection.masks(of: $0) } : nil
      self.init(
        collection,
        addingUp: FilterRegion(shapes: filter.shapes, filter: filter.bind(), masks: masks))
    case .remembered, .selectedFromAll:
      let (index, name) = (collection.index, ScopeName(filter: filter.expression))
      let parts = collection.parts(named: name) { before in
        let bound = filter.bind()
        let selected = FeatureSelection(
          from: before.blocks(ofKey: nil), index.matches(before.serials), index.records
        ) { Cancellation.isOver ? nil : filter.selected(fromBlock: $0, bound) }
        return [(nil, selected)]
      }
      self.init(collection, parts[0].selection, name: name)
    case .everything, .listed, .selectedNearby, .followed:
      var ordinals = GrowingArray<UInt32>(capacity: 64)
      filter.forEachPassing(in: region) { ordinals.append(UInt32($0)) }
      self.init(collection, ordinals: ordinals.fixed)
    }
  }

  /// Creates the scope of the features that pass a filter, at least those in cells of a grid.
  public init(
    _ collection: IndexedCollection, passing filter: FeatureFilter?, near cells: GridRange
  ) {
    self.init(collection, passing: filter, nearAny: AnyRegion(CellsRegion(cells)))
  }

  /// Creates the scope of the features that pass a filter, at least those in a rectangle.
  public init(_ collection: IndexedCollection, passing filter: FeatureFilter?, near rect: MapRegion)
  {
    self.init(collection, passing: filter, nearAny: AnyRegion(rect))
  }

  /// Creates the scope of the features that pass a filter, at least those in a bbox, if any.
  public init(
    _ collection: IndexedCollection, passing filter: FeatureFilter?, near bbox: DegreesRegion?
  ) {
    self.init(collection, passing: filter, nearAny: AnyRegion(bbox))
  }

  /// Returns the number of features in a region, or of all.
  ///
  /// - Complexity: O(nodes that the edges of the region cross).
  public func count(in region: DegreesRegion?) -> Int {
    region.map { points.countFeatures(in: $0) } ?? count
  }

  /// Returns the ordinals in the collection of at most `limit` features in a region, or of all, in
  /// index order. The first `offset` features are skipped in O(log n).
  ///
  /// - Complexity: O(log n + `limit`), and the nodes that the edges of the region cross.
  public func ordinals(in region: DegreesRegion?, offset: Int, limit: Int) -> [Int] {
    region.map { ordinals(inAny: $0, offset: offset, limit: limit) }
      ?? ordinals(inAny: EverywhereRegion(), offset: offset, limit: limit)
  }

  func ordinals(inAny region: some IndexRegion, offset: Int, limit: Int) -> [Int] {
    var ordinals: [Int] = []
    guard limit > 0 else { return ordinals }
    points.forEachOrdinal(in: region, offset: offset) { ordinal in
      ordinals.append(collectionOrdinal(ordinal))
      return ordinals.count < limit && !Cancellation.poll(10)
    }
    return ordinals
  }
}

extension FeatureScope {
  /// Returns the ordinals in the collection of at most `limit` features in a region, or of all, by their distance on the
  /// globe, the nearest first, and of several at one distance the first in index order.
  ///
  /// - Complexity: O(`limit` log n).
  public func ordinals(in region: DegreesRegion?, nearestTo origin: GlobeDistance, limit: Int)
    -> [Int]
  {
    points.nearest(to: origin, in: AnyRegion(region), limit: limit).map { collectionOrdinal($0) }
  }
}
