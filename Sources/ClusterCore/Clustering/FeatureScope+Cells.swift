/// Clustering anew only the cells of a view in which something changed. What is drawn in a cell depends
/// on the features in it and on the request, on nothing else.
extension FeatureScope {
  /// The features of a collection that pass a filter, at least those in some cells.
  public init(
    _ collection: IndexedCollection, passing filter: FeatureFilter?, near cells: CellSelection
  ) {
    self.init(collection, passing: filter, nearAny: cells)
  }

  /// What to draw in some cells of a view, exactly as it is drawn in the whole view, in the same order.
  /// O(cells · log n) beside the features of groups, which are looked at one by one.
  ///
  /// The result's `featureCount` is that of these cells.
  ///
  /// - Throws: ``ImpossibleRequest`` when there are more annotations than the limit.
  public func clusters(
    _ request: ClusterRequest, in selection: CellSelection
  ) throws(ImpossibleRequest) -> ClusterResult {
    let spreading = PinLayout(self, distance: request.settings.distanceFromContestedLocation)
    return try clusters(
      request, groups: { groups($0, of: request, in: selection) }, group: nil
    ) { (scope, layer, group, result) throws(ImpossibleRequest) in
      try scope.cluster(layer, in: selection, spreading, group: group, into: &result)
    }
  }

  /// Clusters the scope's features in the cells of a layer.
  private func cluster(
    _ request: ClusterRequest, in selection: CellSelection, _ spreading: PinLayout,
    group: ClusterGroup?, into result: inout ClusterResult
  ) throws(ImpossibleRequest) {
    let cells = selection.cells(request)
    let keptApart = ordinals(of: request.settings.keepApart)
    var found: [Annotation] = []
    var part = request
    for run in cells.runs {
      part.cells = GridRange(run, of: cells.grid)
      var clusterer = GridClusterer(
        scope: self, region: EverywhereRegion(), request: part, layer: result.layers.count,
        keptApart: keptApart, spreading: spreading)
      let (annotations, count) = try clusterer.run()
      found += annotations
      result.featureCount += count
      if result.annotations.count + found.count > ClusterRequest.maximumLimit {
        throw request.tooMany(result.annotations.count + found.count)
      }
    }
    let features = GridFeatures(
      scope: self, region: EverywhereRegion(), grid: cells.grid, keptApart: keptApart)
    let layer = ClusterLayer(features, cellSize: request.cellSize, group: group)
    if let weights = request.weightsOfMeans {
      for place in found.indices { found[place].weigh(by: weights, index, layer) }
    }
    result.annotations += found
    result.layers.append(layer)
  }

  /// The groups that have features in their cells of a selection, by rank, each as a scope of its own;
  /// nil where there are more than any answer has annotations.
  private func groups(
    _ grouping: Grouping, of request: ClusterRequest, in selection: CellSelection
  ) -> [(rank: Int, scope: FeatureScope)]? {
    guard !selection.others.isEmpty else { return parts(by: grouping.keys, in: selection.own) }
    return parts(
      by: grouping, in: selection, own: selection.own,
      ofGroup: { selection.others[$0.cellSize] ?? selection.own })
  }

  /// The number of the scope's features in a request's own cells.
  public func featureCount(of request: ClusterRequest) -> Int { count(in: request.cells) }
}
