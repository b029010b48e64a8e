import Threading

extension FeatureScope {
  /// Creates the scope of a collection's features that pass a filter. If the region contains only a
  /// small part of the collection and the scope isn't cached, only the features in the region are
  /// filtered.
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
    if collection.hasScopes(named: name) || index.points.countFeatures(in: region) > index.count / 4
    {
      let parts = collection.scopes(named: name) { before in
        let bound = filter.bind()
        let selected = BlockSelection(
          from: before.blocks(ofKey: nil), index.matches(before.serials), index.records
        ) { number in
          if Interruption.isOver { return nil }
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

  /// Creates the scope of the features that pass a filter, at least those in cells of a grid.
  public init(
    _ collection: IndexedCollection, passing filter: FeatureFilter?, near cells: GridRange
  ) {
    self.init(collection, passing: filter, nearAny: CellsRegion(cells))
  }

  /// Creates the scope of the features that pass a filter, at least those in a rectangle.
  public init(_ collection: IndexedCollection, passing filter: FeatureFilter?, near rect: MapRegion)
  {
    self.init(collection, passing: filter, nearAny: rect)
  }

  /// Creates the scope of the features that pass a filter, at least those in a bbox, if any.
  public init(
    _ collection: IndexedCollection, passing filter: FeatureFilter?, near bbox: DegreesRegion?
  ) {
    if let bbox {
      self.init(collection, passing: filter, nearAny: bbox)
    } else {
      self.init(collection, passing: filter, nearAny: EverywhereRegion())
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
      return ordinals.count < limit
    }
    return ordinals
  }
}
