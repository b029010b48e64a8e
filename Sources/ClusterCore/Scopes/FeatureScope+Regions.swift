extension FeatureScope {
  /// The features of a collection that pass a filter: all of them, or, where a region holds but a
  /// small part of the collection, those in the region.
  init(_ index: FeatureIndex, passing filter: FeatureFilter?, nearAny region: some IndexRegion) {
    guard let filter, filter.expression != .literal(true) else {
      self.init(index)
      return
    }
    let name = ScopeName(filter: filter.expression)
    if index.scopes.has(name) || index.points.countFeatures(in: region) > index.count / 4 {
      let parts = index.scopes.remembered(name) { before in
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
        let passing = FeatureScope(index, selected, name: name)
        return [ScopePart(key: nil, scope: passing)]
      }
      self = parts[0].scope
    } else {
      let bound = filter.bind()
      self = FeatureScope(index).selecting(in: region) { run, pass in
        bound.forEachPassing(in: run, pass)
      }
    }
  }

  /// As above, at least those in the cells of a grid.
  public init(_ index: FeatureIndex, passing filter: FeatureFilter?, near cells: GridRange) {
    self.init(index, passing: filter, nearAny: CellsRegion(cells))
  }

  /// As above, at least those in the cells of a request and of its groups.
  public init(_ index: FeatureIndex, passing filter: FeatureFilter?, near request: ClusterRequest) {
    self.init(index, passing: filter, nearAny: UnionRegion(request))
  }

  /// As above, at least those in a rectangle.
  public init(_ index: FeatureIndex, passing filter: FeatureFilter?, near rect: MapRegion) {
    self.init(index, passing: filter, nearAny: rect)
  }

  /// As above, at least those in a bbox, if there is one.
  public init(_ index: FeatureIndex, passing filter: FeatureFilter?, near bbox: DegreesRegion?) {
    if let bbox {
      self.init(index, passing: filter, nearAny: bbox)
    } else {
      self.init(index, passing: filter, nearAny: EverywhereRegion())
    }
  }

  /// The number of features in a region.
  public func count(in region: DegreesRegion?) -> Int {
    guard let region else { return count }
    return points.countFeatures(in: region)
  }

  /// The places in the collection of the features in a region, in index order: at most `limit`, after
  /// `offset`. Skipped ones cost O(log n).
  public func places(in region: DegreesRegion?, offset: Int, limit: Int) -> [Int] {
    guard let region else {
      return places(inAny: EverywhereRegion(), offset: offset, limit: limit)
    }
    return places(inAny: region, offset: offset, limit: limit)
  }

  /// The places in the collection of the features in a rectangle, in index order.
  ///
  /// - Throws: ``ImpossibleRequest`` when there are more than the limit.
  public func places(in region: MapRegion, limit: Int) throws(ImpossibleRequest) -> [Int] {
    let found = points.countFeatures(in: region)
    guard found <= limit else {
      let remedy =
        found <= ClusterRequest.maximumLimit
        ? "a limit of \(found) would do" : "a smaller rect or clustering would do"
      throw ImpossibleRequest(
        field: "limit",
        detail: "the rect holds \(found) features, more than the limit of \(limit); \(remedy)")
    }
    return places(inAny: region, offset: 0, limit: limit)
  }

  private func places(inAny region: some IndexRegion, offset: Int, limit: Int) -> [Int] {
    var places: [Int] = []
    guard limit > 0 else { return places }
    points.forEachOrdinal(in: region, offset: offset) { place in
      places.append(collectionOrdinal(place))
      return places.count < limit
    }
    return places
  }
}
