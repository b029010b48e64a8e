// Clustering only the cells of a viewport in which something changed. What is drawn in a cell depends on
// nothing but the features in it and the request.
extension FeatureScope {
  /// Creates a scope of the features of a collection that pass a filter, at least those in some cells.
  public init(
    _ collection: IndexedCollection, passing filter: FeatureFilter?, near cells: CellSelection
  ) {
    self.init(collection, passing: filter, nearAny: cells)
  }

  /// Clusters some cells of a viewport; the annotations and their order are those of the whole viewport.
  ///
  /// The result's `featureCount` is that of these cells.
  ///
  /// - Complexity: O(cells · log n), and O(n) in the features of the cells if there are groups.
  /// - Throws: ``ImpossibleRequest`` if there are more annotations than the limit.
  public func clusters(
    _ request: ClusterRequest, in selection: CellSelection
  ) throws(ImpossibleRequest) -> ClusterResult {
    let pinLayout = PinLayout(self, distance: request.settings.distanceFromContestedLocation)
    return try clusters(
      request,
      groups: { (grouping) throws(ImpossibleRequest) in
        try groups(grouping, of: request, in: selection)
      }, group: nil
    ) { (scope, layer, group, result) throws(ImpossibleRequest) in
      try scope.cluster(layer, in: selection, pinLayout, group: group, into: &result)
    }
  }

  /// Clusters the scope's features in the cells of a layer.
  private func cluster(
    _ request: ClusterRequest, in selection: CellSelection, _ pinLayout: PinLayout,
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
        keptApart: keptApart, pinLayout: pinLayout)
      let (annotations, count) = try clusterer.run()
      found += annotations
      result.featureCount += count
      if result.annotations.count + found.count > ClusterRequest.maximumLimit {
        throw request.tooMany(result.annotations.count + found.count)
      }
    }
    let layer = ClusterLayer(
      self, grid: cells.grid, cellSize: request.cellSize, group: group, keptApart: keptApart)
    if let weights = request.weightsOfMeans {
      for number in found.indices { found[number].weigh(by: weights, index, layer) }
    }
    result.annotations += found
    result.layers.append(layer)
  }

  /// The groups with features in their cells of a selection, by rank, each as a scope of its own; nil if
  /// there are more than ``ClusterRequest/maximumLimit``.
  private func groups(
    _ grouping: Grouping, of request: ClusterRequest, in selection: CellSelection
  ) throws(ImpossibleRequest) -> [(rank: Int, scope: FeatureScope)]? {
    guard !selection.others.isEmpty else {
      return try parts(by: grouping.keys, in: selection.own)
    }
    return try parts(
      by: grouping, in: selection, own: selection.own,
      ofGroup: { selection.others[$0.cellSize] ?? selection.own })
  }

  /// The number of the scope's features in a request's own cells.
  public func featureCount(of request: ClusterRequest) -> Int { count(in: request.cells) }
}
