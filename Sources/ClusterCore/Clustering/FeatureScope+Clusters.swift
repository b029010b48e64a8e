extension FeatureScope {
  /// Clusters a viewport. The result is exact at every zoom.
  ///
  /// The scope must hold the features that pass the request's filter, at least those in its cells and in
  /// the cells of its groups.
  ///
  /// - Complexity: Proportional to the nodes that grid lines cross, which are O(cells · log n) except
  ///   for unusual data, independent of the size of the collection; with groups, that for each of them.
  /// - Throws: ``ImpossibleRequest`` if there are more annotations than the limit.
  public func clusters(_ request: ClusterRequest) throws(ImpossibleRequest) -> ClusterResult {
    try clusters(request, in: EverywhereRegion(), excluding: OrdinalSet([]))
  }

  /// Clusters the features in a region as if the excluded ones didn't exist.
  ///
  /// - Parameter group: The group of all of the features, if they have one in common.
  func clusters(
    _ request: ClusterRequest, in region: some IndexRegion, excluding excluded: OrdinalSet,
    group: ClusterGroup? = nil
  ) throws(ImpossibleRequest) -> ClusterResult {
    let pinLayout = PinLayout(
      self, distance: request.settings.distanceFromContestedLocation, excluding: excluded)
    var result = try clusters(
      request,
      groups: { (grouping) throws(ImpossibleRequest) in try groups(grouping, of: request) },
      group: group
    ) { (scope, layer, group, result) throws(ImpossibleRequest) in
      try scope.cluster(layer, in: region, pinLayout, group: group, into: &result)
    }
    if request.hasCellsOfGroups { result.featureCount = count(in: request.cells) }
    return result
  }

  /// Clusters the layers of a request and puts them together in the order of the answer.
  ///
  /// - Parameters:
  ///   - groups: Divides the scope into groups; returns nil if there are too many.
  ///   - group: The group of all features if the request has no groups.
  ///   - cluster: Appends one layer to a result.
  /// - Throws: ``ImpossibleRequest`` if there are more annotations than the limit.
  func clusters(
    _ request: ClusterRequest,
    groups: (Grouping) throws(ImpossibleRequest) -> [(rank: Int, scope: FeatureScope)]?,
    group: ClusterGroup?,
    cluster: (FeatureScope, ClusterRequest, ClusterGroup?, inout ClusterResult)
      throws(ImpossibleRequest) -> Void
  ) throws(ImpossibleRequest) -> ClusterResult {
    var result = ClusterResult()
    if let grouping = request.grouping {
      guard let groups = try groups(grouping) else {
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

  /// Clusters the scope's features in a region as one layer of an answer.
  private func cluster(
    _ request: ClusterRequest, in region: some IndexRegion, _ pinLayout: PinLayout,
    group: ClusterGroup?, into result: inout ClusterResult
  ) throws(ImpossibleRequest) {
    var clusterer = GridClusterer(
      scope: self, region: region, request: request, layer: result.layers.count,
      keptApart: ordinals(of: request.settings.keepApart), pinLayout: pinLayout)
    var (annotations, count) = try clusterer.run()
    let layer = ClusterLayer(clusterer.features, cellSize: request.cellSize, group: group)
    if let weights = request.weightsOfMeans {
      for number in annotations.indices { annotations[number].weigh(by: weights, index, layer) }
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

  /// The numbers of features in the cells that aren't empty, ordered by row and column.
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
