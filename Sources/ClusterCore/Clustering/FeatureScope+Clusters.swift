import Threading

extension FeatureScope {
  /// Creates a scope of the features that pass a filter, at least those in the cells of a request and of
  /// its groups, or in some of these.
  ///
  /// - Parameters:
  ///   - selection: the cells, if not all.
  ///   - needs: the needs of the answer, those of the request included. If sums serve them, the scope may be good for these
  ///     alone.
  public init(
    _ collection: IndexedCollection, passing filter: FeatureFilter?, near request: ClusterRequest,
    in selection: CellSelection? = nil, for needs: Needs = .unknown
  ) {
    let region = selection?.region ?? AnyRegion(request.allCells)
    let plan = FilterPlan(
      filter, of: collection, near: region, isSummedUp: needs.isSubset(of: .sums),
      byCell: selection != nil)
    self.init(collection, passing: filter, nearAny: region, by: plan)
  }

  /// The ordinals in the collection of the features in a rectangle, in index order.
  ///
  /// - Throws: ``ImpossibleRequest`` if there are more than the limit.
  public func ordinals(in region: MapRegion, limit: Int) throws(ImpossibleRequest) -> [Int] {
    let found = points.countFeatures(in: region)
    guard found <= limit else {
      let remedy =
        found <= ClusterRequest.maximumLimit
        ? "a limit of \(found) would do" : "a smaller rect or clustering would do"
      throw ImpossibleRequest(
        field: "limit",
        detail: "the rect holds \(found) features, more than the limit of \(limit); \(remedy)")
    }
    return ordinals(inAny: region, offset: 0, limit: limit)
  }

  /// Clusters a viewport, or some of its cells. The result is exact at every zoom.
  ///
  /// The scope must hold the features that pass the request's filter, at least those in its cells and in
  /// the cells of its groups. The annotations of some cells and their order are those of the whole viewport,
  /// since the annotations of a cell depend on nothing but its features and the request; the result's
  /// `featureCount` is that of these cells.
  ///
  /// - Parameter selection: the cells, if not all.
  /// - Complexity: Proportional to the nodes that grid lines cross, which are O(cells · log n) except
  ///   for unusual data, independent of the size of the collection; with groups, that for each of them, and O(n) in the
  ///   features of selected cells.
  /// - Throws: ``ImpossibleRequest`` if there are more annotations than the limit.
  public func clusters(
    _ request: ClusterRequest, in selection: CellSelection? = nil
  ) throws(ImpossibleRequest) -> ClusterResult {
    if let region {
      return try FeatureScope(collection).clusters(
        request, in: region, excluding: OrdinalSet([]), selection: selection)
    }
    return try clusters(
      request, in: EverywhereRegion(), excluding: OrdinalSet([]), selection: selection)
  }

  /// Clusters the features in a region as if the excluded ones didn't exist.
  ///
  /// - Parameters:
  ///   - group: The group of all of the features, if they have one in common.
  ///   - selection: The cells to cluster, if not all.
  func clusters(
    _ request: ClusterRequest, in region: some IndexRegion, excluding excluded: OrdinalSet,
    group: ClusterGroup? = nil, selection: CellSelection? = nil
  ) throws(ImpossibleRequest) -> ClusterResult {
    let pinLayout = PinLayout(
      self, request.settings.spread(atZoom: request.screenZoom), excluding: excluded)
    var result = ClusterResult()
    for (group, scope) in try layers(of: request, group, selection) {
      let layer = request.layer(ofKey: group?.key)
      let cells = selection?.cells(layer)
      try scope.cluster(
        layer, cells?.ranges ?? [layer.cells], of: cells?.grid ?? layer.cells.grid, in: region,
        pinLayout, group: group, into: &result)
    }
    guard result.annotations.count <= request.limit else {
      throw request.tooMany(result.annotations.count)
    }
    result.sort()
    if selection == nil, request.hasCellsOfGroups {
      result.featureCount = featureCount(of: request)
    }
    return result
  }

  /// Clusters the scope's features in a region and ranges of cells as one layer of an answer.
  private func cluster(
    _ request: ClusterRequest, _ ranges: [GridRange], of grid: CellGrid,
    in region: some IndexRegion, _ pinLayout: PinLayout, group: ClusterGroup?,
    into result: inout ClusterResult
  ) throws(ImpossibleRequest) {
    let keptApart = ordinals(of: request.settings.keepApart)
    let layer = ClusterLayer(
      self, in: AnyRegion(region), grid: grid, cellSize: request.cellSize, request.settings,
      group: group, keptApart: keptApart)
    var part = request
    for range in ranges {
      part.cells = range
      let start = result.annotations.count
      var annotations: [Annotation] = []
      swap(&annotations, &result.annotations)
      var clusterer = GridClusterer(
        scope: self, region: region, request: part, layer: result.layers.count,
        keptApart: keptApart, pinLayout: pinLayout, annotations: annotations)
      annotations = []
      result.featureCount += try clusterer.run()
      result.annotations = clusterer.annotations
      if let weights = request.weightsOfMeans {
        for number in result.annotations[start...].indices where !Cancellation.isOver {
          result.annotations[number].weigh(by: weights, index, layer)
        }
      }
    }
    result.layers.append(layer)
  }

  /// The number of the scope's features in a request's own cells.
  ///
  /// - Complexity: O(nodes that the edges of the cells cross).
  public func featureCount(of request: ClusterRequest) -> Int {
    points.countFeatures(in: CellsRegion(request.cells))
  }

  /// The numbers of features in the cells that aren't empty, ordered by row and column.
  ///
  /// - Complexity: O(nodes that grid lines cross).
  public func countsByCell(_ cells: GridRange) -> [(cell: CellPosition, count: Int)] {
    GridSummation.sums(
      of: points, in: EverywhereRegion(), by: cells, excluding: OrdinalSet([]),
      countingLocations: false
    ).map { ($0.cell, $0.count) }
  }
}

extension ClusterResult {
  /// Sorts the annotations of several layers into the order of the answer.
  mutating func sort() {
    guard layers.count > 1 else { return }
    let order = annotations.indices.sorted { annotations[$0].precedes(annotations[$1]) }
    annotations = order.map { annotations[$0] }
  }
}

extension Annotation {
  /// Whether it precedes another annotation of the same answer.
  fileprivate func precedes(_ other: Annotation) -> Bool {
    if let cell, let otherCell = other.cell, cell != otherCell { return cell < otherCell }
    return (layer, first) < (other.layer, other.first)
  }
}
