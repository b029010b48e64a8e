extension FeatureScope {
  /// What to draw in a viewport. Exact at every zoom.
  ///
  /// Costs what the grid's lines cross, O(cells · log n) for any but odd data, not what the world
  /// holds; with groups, that for each of them.
  ///
  /// The scope must hold everything that counts: the features that pass the request's filter, at least
  /// those in its cells and in those of its groups.
  ///
  /// - Throws: ``ImpossibleRequest`` when there are more annotations than the limit.
  public func clusters(_ request: ClusterRequest) throws(ImpossibleRequest) -> ClusterResult {
    try clusters(request, in: EverywhereRegion(), excluding: OrdinalSet([]))
  }

  /// As above, of the features in a region, as if the excluded ones didn't exist. Where they are all of
  /// one group, it is given.
  func clusters(
    _ request: ClusterRequest, in region: some IndexRegion, excluding excluded: OrdinalSet,
    group: ClusterGroup? = nil
  ) throws(ImpossibleRequest) -> ClusterResult {
    let spreading = PinLayout(
      self, distance: request.settings.distanceFromContestedLocation, excluding: excluded)
    var result = try clusters(
      request, groups: { groups($0, of: request) }, group: group
    ) { (scope, layer, group, result) throws(ImpossibleRequest) in
      try scope.cluster(layer, in: region, spreading, group: group, into: &result)
    }
    if request.hasCellsOfGroups { result.featureCount = count(in: request.cells) }
    return result
  }

  /// The layers of a request put together, in the order of the answer.
  ///
  /// - Parameters:
  ///   - groups: takes the scope apart; nil where there are too many.
  ///   - group: what all is of where the request has no groups.
  ///   - cluster: adds one layer.
  /// - Throws: ``ImpossibleRequest`` when there are more annotations than the limit.
  func clusters(
    _ request: ClusterRequest, groups: (Grouping) -> [(rank: Int, scope: FeatureScope)]?,
    group: ClusterGroup?,
    cluster: (FeatureScope, ClusterRequest, ClusterGroup?, inout ClusterResult)
      throws(ImpossibleRequest) -> Void
  ) throws(ImpossibleRequest) -> ClusterResult {
    var result = ClusterResult()
    if let grouping = request.grouping {
      guard let groups = groups(grouping) else {
        throw request.tooMany(ClusterRequest.maximumLimit + 1)
      }
      for (rank, scope) in groups {
        let group = grouping.group(rank)
        try cluster(scope, request.layer(ofKey: group.key), group, &result)
      }
    } else {
      try cluster(self, request, group, &result)
    }
    guard result.annotations.count <= request.limit else {
      throw request.tooMany(result.annotations.count)
    }
    result.sort()
    return result
  }

  /// Clusters the scope as one layer of an answer.
  private func cluster(
    _ request: ClusterRequest, in region: some IndexRegion, _ spreading: PinLayout,
    group: ClusterGroup?, into result: inout ClusterResult
  ) throws(ImpossibleRequest) {
    var clusterer = GridClusterer(
      scope: self, region: region, request: request, layer: result.layers.count,
      keptApart: ordinals(of: request.settings.keepApart), spreading: spreading)
    var (annotations, count) = try clusterer.run()
    let layer = ClusterLayer(clusterer.features, cellSize: request.cellSize, group: group)
    if let weights = request.weightsOfMeans {
      for place in annotations.indices { annotations[place].weigh(by: weights, index, layer) }
    }
    result.annotations += annotations
    result.featureCount += count
    result.layers.append(layer)
    if result.annotations.count > ClusterRequest.maximumLimit {
      throw request.tooMany(result.annotations.count)
    }
  }

  /// The number of features in some cells.
  func count(in cells: GridRange) -> Int { points.countFeatures(in: CellsRegion(cells)) }

  /// How many features each of some cells holds, but for empty ones; by row and column.
  public func countsByCell(_ cells: GridRange) -> [(cell: CellPosition, count: Int)] {
    GridAggregation.sums(
      of: points, in: EverywhereRegion(), by: cells, excluding: OrdinalSet([]),
      countingLocations: false
    ).map { ($0.cell, $0.count) }
  }
}

extension ClusterResult {
  /// Brings the annotations of several layers into the order of the answer.
  mutating func sort() {
    guard layers.count > 1 else { return }
    let order = annotations.indices.sorted { annotations[$0].precedes(annotations[$1]) }
    annotations = order.map { annotations[$0] }
  }
}

extension Annotation {
  /// Whether it comes before another of the same answer.
  fileprivate func precedes(_ other: Annotation) -> Bool {
    if let cell, let otherCell = other.cell, cell != otherCell { return cell < otherCell }
    return (layer, first) < (other.layer, other.first)
  }
}
