import Threading

extension FeatureScope {
  /// Clusters a viewport by a method without a grid.
  ///
  /// The scope must hold the features that pass the request's filter, at least those in its tiles.
  ///
  /// - Throws: ``ImpossibleRequest`` if there are more annotations than the limit or more features than
  ///   ``MethodRequest/maximumFeatures``, or if the features are so close that it would take too long.
  public func clusters(
    _ request: MethodRequest, markers: MarkerColumns
  ) throws(ImpossibleRequest) -> ClusterResult {
    let region = CellsRegion(request.viewport.tiles)
    let found = points.countFeatures(in: region)
    guard found <= MethodRequest.maximumFeatures else { throw request.tooMany(features: found) }
    // To copy so many takes longer than an event loop has.
    if found > FeatureScope.quicklyCopied, Cancellation.stopIfLimited() { throw .cancelled }
    return try ImpossibleRequest.withMemory(of: found * 160) { () throws(ImpossibleRequest) in
      do throws(MethodLimit) {
        let inside = sideBySide(in: region, count: found)
        return try inside.clustersOfAll(request, markers: markers)
      } catch {
        throw request.refusal(error, features: found)
      }
    }
  }

  /// The features that are copied in a fraction of a millisecond.
  private static let quicklyCopied = 2000

  /// The scope's `found` features in a region with a dense index, because these methods number features
  /// and nodes from 0. Cached if it has all features of the collection.
  private func sideBySide(in region: CellsRegion, count found: Int) -> FeatureScope {
    guard found == count else { return selecting(in: region) }
    if points.isDense { return self }
    guard isWhole else { return selecting(in: EverywhereRegion()) }
    let all = collection.parts(named: ScopeName(isDense: true)) { _ in
      [(nil, FeatureSelection(ordinals(in: EverywhereRegion()), of: points))]
    }
    return FeatureScope(collection, all[0].selection)
  }

  /// Clusters all features of the scope, wherever they are.
  func clustersOfAll(
    _ request: MethodRequest, markers: MarkerColumns
  ) throws(MethodLimit) -> ClusterResult {
    var result = ClusterResult()
    result.featureCount = count
    switch request.method {
    case .distance(let epsilon):
      let radius = epsilon * request.viewport.mapPointsPerPoint
      for (group, part) in try parts(request) {
        try part.components(radius, request, group, into: &result)
      }
    case .collision(let sizes):
      try collisions(sizes, request, markers, into: &result)
    }
    guard result.annotations.count <= request.limit else {
      throw .annotations(result.annotations.count)
    }
    result.annotations.sort { $0.first < $1.first }
    return result
  }

  /// The groups of the scope, or the whole scope if the request has no groups.
  private func parts(
    _ request: MethodRequest
  ) throws(MethodLimit) -> [(group: ClusterGroup?, scope: FeatureScope)] {
    guard let grouping = request.grouping else { return [(nil, self)] }
    let most = ClusterRequest.maximumLimit
    let parts: [(rank: Int, selection: FeatureSelection)]?
    do {
      parts = try self.parts(by: grouping.keys, most: most, points.forEachRun)
    } catch {
      throw .memory
    }
    guard let parts else { throw .annotations(most + 1) }
    return parts.map { (grouping.group($0.rank), FeatureScope(collection, $0.selection)) }
  }

  private func components(
    _ radius: Double, _ request: MethodRequest, _ group: ClusterGroup?,
    into result: inout ClusterResult
  ) throws(MethodLimit) {
    let components = try ComponentClusterer(
      points: points, radius: radius, keptApart: ordinals(of: request.keepApart),
      limit: ClusterRequest.maximumLimit
    ).run()
    var numbers: [Int: Int] = [:]
    for (number, component) in components.all.enumerated() {
      let first = collectionOrdinal(component.first)
      numbers[first] = number
      let extent = components.extent(of: component, in: points)
      result.annotations.append(
        Annotation(
          first: first, in: index, component.sum, extent,
          coordinate: extent.mean, layer: result.layers.count))
    }
    let scope = self
    result.layers.append(
      ClusterLayer(group: group, grid: nil, cellSize: 0) { [numbers] annotation, held, body in
        guard let number = numbers[annotation.first] else { return }
        for run in components.ranges(of: components.all[number]) {
          guard scope.forEachCollectionRun(run, within: held, body) else { return }
        }
      })
  }

  private func collisions(
    _ sizes: MethodRequest.Markers, _ request: MethodRequest, _ markers: MarkerColumns,
    into result: inout ClusterResult
  ) throws(MethodLimit) {
    let scale = request.viewport.mapPointsPerPoint
    var clusterer = CollisionClusterer(
      points: points, width: sizes.width * scale, height: sizes.height * scale)
    clusterer.priorities = markers.priorities.map { column in
      (0..<count).map { column.number(at: collectionOrdinal($0)) }
    }
    clusterer.clusterKeys = markers.clusterKeys.map { keys in
      (0..<count).map {
        let rank = keys.rank(at: collectionOrdinal($0))
        return rank == 0 ? CollisionClusterer.noKey : rank
      }
    }
    clusterer.groups = request.grouping.map { grouping in
      (0..<count).map { grouping.keys.rank(at: collectionOrdinal($0)) }
    }
    clusterer.keptApart = ordinals(of: request.keepApart)
    clusterer.limit = ClusterRequest.maximumLimit
    let collisions = try clusterer.run()
    result.hiddenCount = collisions.hiddenCount
    append(collisions, of: clusterer, request, to: &result)
  }

  private func append(
    _ collisions: Collisions, of clusterer: CollisionClusterer, _ request: MethodRequest,
    to result: inout ClusterResult
  ) {
    var numbers: [Int: Int] = [:]
    for (number, cluster) in collisions.all.enumerated() {
      numbers[collectionOrdinal(cluster.placed)] = number
    }
    let scope = self
    let runs: @Sendable (Annotation, HeldFeatures?, (Range<Int>) -> Bool) -> Void = {
      [numbers] annotation, held, body in
      guard let number = numbers[annotation.first] else { return }
      for ordinal in collisions.ordinals(of: collisions.all[number]) {
        guard scope.forEachCollectionRun(ordinal..<ordinal + 1, within: held, body) else { return }
      }
    }
    var layers: [UInt32: Int] = [:]
    for cluster in collisions.all {
      let rank = clusterer.groups?[cluster.placed] ?? 0
      if layers[rank] == nil {
        layers[rank] = result.layers.count
        let group = request.grouping?.group(Int(rank))
        result.layers.append(ClusterLayer(group: group, grid: nil, cellSize: 0, runs: runs))
      }
      let first = collectionOrdinal(cluster.placed)
      result.annotations.append(
        Annotation(
          first: first, in: index, cluster.sum, collisions.extent(of: cluster, in: points),
          coordinate: index.coordinate(at: first),
          layer: layers[rank] ?? 0))
    }
  }

  /// Calls `body` with the runs of ordinals in the collection for a run of ordinals in the scope, as far
  /// as a previous annotation holds them if one is given, until it returns false.
  private func forEachCollectionRun(
    _ run: Range<Int>, within held: HeldFeatures?, _ body: (Range<Int>) -> Bool
  ) -> Bool {
    guard let held else { return forEachCollectionRun(run, body) }
    return forEachCollectionRun(run) { run in
      withExtendedLifetime(index) {
        let pointers = index.points.pointers
        return run.allSatisfy { !held.contains($0, in: pointers) || body($0..<$0 + 1) }
      }
    }
  }
}

extension HeldFeatures {
  fileprivate func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    switch self {
    case .cell(let region): region.contains(ordinal, in: pointers)
    case .feature(let own): ordinal == own
    }
  }
}

extension Annotation {
  fileprivate init(
    first: Int, in index: FeatureIndex, _ sum: PointSum, _ extent: CircularExtent,
    coordinate: Coordinate, layer: Int
  ) {
    self.init(pin: first, of: index.points)
    self.layer = layer
    guard sum.count > 1 else { return }
    count = sum.count
    self.coordinate = coordinate
    bounds = extent.bounds
    isUniqueLocation = sum.box.isOneLocation
  }
}
