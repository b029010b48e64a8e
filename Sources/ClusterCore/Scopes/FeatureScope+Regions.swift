extension FeatureScope {
  /// The features of a collection that pass a filter: all of them, or, where a region holds but a
  /// small part of the collection, those in the region.
  init(
    _ collection: IndexedCollection, passing filter: FeatureFilter?,
    nearAny region: some IndexRegion
  ) {
    guard let filter, filter.expression != .literal(true) else {
      self.init(collection)
      return
    }
    let index = collection.index
    let name = ScopeName(filter: filter.expression)
    if collection.knows(name) || index.points.countFeatures(in: region) > index.count / 4 {
      let parts = collection.scopes(named: name) { before in
        let bound = filter.bind()
        let selected = BlockSelection(
          from: before.blocks(ofKey: nil), index.matches(before.serials), index.records
        ) { number in
          var offsets: [UInt16] = []
          let firstOrdinal = number << PointIndex.blockBits
          bound.forEachPassing(in: firstOrdinal..<firstOrdinal + index.blocks[number].count) {
            offsets.append(UInt16($0 - firstOrdinal))
          }
          return SelectedBlock(index.blocks[number], offsets, index.records)
        }
        let passing = FeatureScope(collection, selected, name: name)
        return [ScopePart(key: nil, scope: passing)]
      }
      self = parts[0].scope
    } else {
      let bound = filter.bind()
      self = FeatureScope(collection).selecting(in: region) { run, pass in
        bound.forEachPassing(in: run, pass)
      }
    }
  }

  /// As above, at least those in the cells of a grid.
  public init(
    _ collection: IndexedCollection, passing filter: FeatureFilter?, near cells: GridRange
  ) {
    self.init(collection, passing: filter, nearAny: CellsRegion(cells))
  }

  /// As above, at least those in a rectangle.
  public init(_ collection: IndexedCollection, passing filter: FeatureFilter?, near rect: MapRegion)
  {
    self.init(collection, passing: filter, nearAny: rect)
  }

  /// As above, at least those in a bbox, if there is one.
  public init(
    _ collection: IndexedCollection, passing filter: FeatureFilter?, near bbox: DegreesRegion?
  ) {
    if let bbox {
      self.init(collection, passing: filter, nearAny: bbox)
    } else {
      self.init(collection, passing: filter, nearAny: EverywhereRegion())
    }
  }

  /// The number of features in a region.
  public func count(in region: DegreesRegion?) -> Int {
    guard let region else { return count }
    return points.countFeatures(in: region)
  }

  /// The places in the collection of the features in a region, in index order: at most `limit`, after
  /// `offset`. Skipped ones cost O(log n).
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
      return ordinals.count < limit
    }
    return ordinals
  }
}
