/// Clustering anew only the cells of a view in which something changed. What is drawn in a cell depends
/// on the features in it and on the request, on nothing else.
extension FeatureScope {
  /// The features of a collection that pass a filter, at least those in some cells.
  public init(_ index: FeatureIndex, passing filter: FeatureFilter?, near cells: CellSelection) {
    self.init(index, passing: filter, nearAny: cells)
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
    let spreading = Spreading(self, distance: request.settings.distanceFromContestedLocation)
    var result = ClusterResult()
    if let grouping = request.grouping {
      guard let groups = groups(grouping, of: request, in: selection) else {
        throw request.tooMany(ClusterRequest.maximumLimit + 1)
      }
      for (rank, scope) in groups {
        let group = grouping.group(rank)
        try scope.cluster(
          request.layer(ofKey: group.key), in: selection, spreading, group: group, into: &result)
      }
    } else {
      try cluster(request, in: selection, spreading, group: nil, into: &result)
    }
    guard result.annotations.count <= request.limit else {
      throw request.tooMany(result.annotations.count)
    }
    result.sort()
    return result
  }

  /// Clusters the scope's features in the cells of a layer.
  private func cluster(
    _ request: ClusterRequest, in selection: CellSelection, _ spreading: Spreading,
    group: ClusterGroup?, into result: inout ClusterResult
  ) throws(ImpossibleRequest) {
    let cells = selection.cells(request)
    let keptApart = places(of: request.settings.keepApart)
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
    let most = ClusterRequest.maximumLimit
    guard !selection.others.isEmpty else {
      return parts(by: grouping.keys, most: most) { body in
        points.forEachRun(in: selection.own) {
          body($0)
          return true
        }
      }
    }
    var regions: [Int: CellSet] = [:]
    for (key, override) in grouping.overrides {
      let region = selection.others[override.cellSize] ?? selection.own
      if let rank = grouping.keys.rank(of: key) { regions[Int(rank)] = region }
      if key == KeyColumn.nullKey { regions[0] = region }
    }
    let view = points.view
    return withExtendedLifetime(points) {
      parts(by: grouping.keys, most: most) { body in
        points.forEachRun(in: selection) { run in
          for place in run {
            let rank = Int(grouping.keys.rank(at: collectionPlace(place)))
            if (regions[rank] ?? selection.own).contains(place, in: view) {
              body(place..<place + 1)
            }
          }
          return true
        }
      }
    }
  }

  /// The number of the scope's features in a request's own cells.
  public func featureCount(of request: ClusterRequest) -> Int { count(in: request.cells) }
}

extension ClusterRequest {
  /// Whether a group has cells of another size than the request's own, so that not all that is counted
  /// is drawn in these.
  public var hasCellsOfGroups: Bool { hasOtherCells }
}
