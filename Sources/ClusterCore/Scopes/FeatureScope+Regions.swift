import Threading

extension FeatureScope {
  /// Creates the scope of a collection's features that pass a filter. If the region contains only a
  /// small part of the collection and the scope isn't cached, only the features in the region are
  /// filtered.
  init(
    _ collection: IndexedCollection, passing filter: FeatureFilter?,
    nearAny region: AnyRegion, isSummedUp: Bool = false
  ) {
    guard let filter, filter.expression != .literal(true) else {
      self.init(collection)
      return
    }
    if let listed = filter.listedOrdinals(in: collection.index) {
      var ordinals = GrowingArray<UInt32>(capacity: listed.count)
      for ordinal in listed { ordinals.append(UInt32(ordinal)) }
      self.init(collection, ordinals: ordinals.fixed)
      return
    }
    if isSummedUp, !collection.hasScopes(named: ScopeName(filter: filter.expression)) {
      self.init(collection, unselected: filter, near: region)
      return
    }
    guard filter.region.isEmpty else {
      self.init(collection, passing: filter, inShapesNear: region)
      return
    }
    let index = collection.index
    let name = ScopeName(filter: filter.expression)
    if collection.hasScopes(named: name) || index.points.countFeatures(in: region) > index.count / 4
    {
      self.init(collection, named: name) { bound, number in
        FeatureScope.selected(number, in: EverywhereRegion(), passing: bound, of: index)
      } binding: {
        filter.bind()
      }
    } else {
      let bound = filter.bind()
      self = FeatureScope(collection).selecting(in: region) { run, pass in
        bound.forEachPassing(in: run, pass)
      }
    }
  }

  /// Creates the scope of the features that pass a filter, which aren't selected until they are needed one by one.
  private init(
    _ collection: IndexedCollection, unselected filter: FeatureFilter, near region: AnyRegion
  ) {
    let (index, rest) = (collection.index, filter.rest())
    var masks: FilterMasks?
    if let rest {
      let nearby = index.points.estimatedCount(in: region)
      if nearby > FeatureScope.manyLooks { masks = collection.masks(of: rest.expression) }
    }
    let part = FilterRegion(shapes: filter.region, filter: rest?.bind(), masks: masks)
    self.init(collection, part) { FeatureScope(collection, passing: filter, nearAny: region) }
  }

  /// The number of features of a view from which on the bits of a filter are worth keeping.
  private static let manyLooks = 100_000.0

  /// The same for a filter that has a region of its own: features outside of it aren't looked at, and blocks
  /// that are inside as a whole are shared if there are no other conditions.
  private init(
    _ collection: IndexedCollection, passing filter: FeatureFilter,
    inShapesNear region: AnyRegion
  ) {
    let (index, shapes, rest) = (collection.index, filter.region, filter.rest())
    let name = ScopeName(filter: filter.expression)
    let near = AnyRegion(IntersectionRegion(a: region, b: shapes))
    let nearby =
      collection.hasScopes(named: name) ? .infinity : index.points.estimatedCount(in: near)
    if nearby > (rest == nil ? FeatureScope.manyNearby : .infinity)
      || nearby > index.points.estimatedCount(in: AnyRegion(shapes)) / 4
    {
      self.init(collection, named: name) { bound, number in
        FeatureScope.selected(number, in: shapes, passing: bound, of: index)
      } binding: {
        rest?.bind()
      }
    } else if let bound = rest?.bind() {
      self = FeatureScope(collection).selecting(in: near) { run, pass in
        bound.forEachPassing(in: run, pass)
      }
    } else {
      self = FeatureScope(collection).selecting(in: near)
    }
  }

  /// The features of a view above which sharing the blocks of a whole shape is quicker than copying them.
  private static let manyNearby = 20_000.0

  /// Creates the scope with a name, which is cached, from the selection of each block.
  private init<Bound>(
    _ collection: IndexedCollection, named name: ScopeName,
    _ select: (Bound, Int) -> SelectedBlock?, binding bind: () -> Bound
  ) {
    let index = collection.index
    let parts = collection.scopes(named: name) { before in
      let bound = bind()
      let selected = BlockSelection(
        from: before.blocks(ofKey: nil), index.matches(before.serials), index.records
      ) { Interruption.isOver ? nil : select(bound, $0) }
      let passing = FeatureScope(collection, selected, name: name)
      return [ScopePart(key: nil, scope: passing)]
    }
    self = parts[0].scope
  }

  /// Returns the features of a block that are in a region and pass a filter; nil if there are none.
  private static func selected(
    _ number: Int, in region: some BlockRegion, passing filter: BoundFilter?,
    of index: FeatureIndex
  ) -> SelectedBlock? {
    let block = index.blocks[number]
    let coverage = region.coverage(of: block.points)
    if coverage == .outside { return nil }
    if coverage == .inside && filter == nil { return SelectedBlock(whole: block) }
    var offsets: [UInt16] = []
    let firstOrdinal = number << PointIndex.blockBits
    func add(_ run: Range<Int>) {
      guard let filter else { return offsets += run.map { UInt16($0) } }
      filter.forEachPassing(in: firstOrdinal + run.lowerBound..<firstOrdinal + run.upperBound) {
        offsets.append(UInt16($0 - firstOrdinal))
      }
    }
    if coverage == .inside {
      add(0..<block.count)
    } else {
      PointIndex(nil, [.made(block.points)], index.records).forEachRun(in: region) { run in
        add(run)
        return true
      }
    }
    if offsets.count == block.count { return SelectedBlock(whole: block) }
    return SelectedBlock(block, offsets, index.records)
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
    if let bbox {
      self.init(collection, passing: filter, nearAny: AnyRegion(bbox))
    } else {
      self.init(collection, passing: filter, nearAny: AnyRegion(EverywhereRegion()))
    }
  }

  /// Returns the number of features in a region, or of all.
  public func count(in region: DegreesRegion?) -> Int {
    guard let region else { return count }
    return points.countFeatures(in: region)
  }

  /// Returns the ordinals in the collection of at most `limit` features in a region, or of all, in
  /// index order. The first `offset` features are skipped in O(log n).
  public func ordinals(in region: DegreesRegion?, offset: Int, limit: Int) -> [Int] {
    guard let region else {
      return ordinals(inAny: EverywhereRegion(), offset: offset, limit: limit)
    }
    return ordinals(inAny: region, offset: offset, limit: limit)
  }

  func ordinals(inAny region: some IndexRegion, offset: Int, limit: Int) -> [Int] {
    var ordinals: [Int] = []
    guard limit > 0 else { return ordinals }
    points.forEachOrdinal(in: region, offset: offset) { ordinal in
      ordinals.append(collectionOrdinal(ordinal))
      return ordinals.count < limit && !Interruption.poll(10)
    }
    return ordinals
  }
}

extension FeatureScope {
  /// Returns the ordinals in the collection of at most `limit` features in a region, or of all, by their distance on the
  /// globe, the nearest first, and of several at one distance the first in index order.
  public func ordinals(in region: DegreesRegion?, nearestTo origin: GlobeDistance, limit: Int)
    -> [Int]
  {
    let found =
      region.map { points.nearest(to: origin, in: $0, limit: limit) }
      ?? points.nearest(to: origin, in: EverywhereRegion(), limit: limit)
    return found.map { collectionOrdinal($0) }
  }
}
