import ClusterCore

extension TwinRequest {
  /// Adds random fields of section 8 that any method takes.
  public mutating func varyStatistics(over twin: Twin, using generator: inout SeededGenerator) {
    let names = ["country", "population", "share", "rank", "kind", "is open", "absent"]
    if generator.chance(0.4) {
      filter = TwinFilter.random(over: twin, using: &generator)
      filterStyle = TwinFilter.Style.random(using: &generator)
    }
    if generator.chance(0.4) { weightBy = generator.pick(["population", "share", "absent"]) }
    if generator.chance(0.5) { groupBy = generator.pick(["country", "kind", "is open", "absent"]) }
    if generator.chance(0.5) { countBy = generator.pick(names + ["name"]) }
    guard generator.chance(0.5) else { return }
    aggregate = (0..<generator.int(1...4)).map { index in
      TwinAggregate(
        index == 0 ? "s\u{FC}m of it" : "a\(index)",
        generator.pick(TwinAggregate.Operation.allCases),
        generator.pick(["population", "share", "rank", "country", "is open", "absent"]))
    }
  }

  /// Adds random settings of groups, whose grids have no more cells than the contract allows.
  public mutating func varyGroups(using generator: inout SeededGenerator) {
    guard groupBy != nil, generator.chance(0.6) else { return }
    for key in ["DE", "5", "null", "a", "true", "e\u{301}", "no such group"]
    where generator.chance(0.5) {
      var settings = TwinGroupSettings(key)
      if generator.chance(0.5) {
        var other = self
        other.cellSize = generator.pick([32, 60, 100.5, 256, 1024])
        if (try? TwinGrid(other)) != nil { settings.cellSize = other.cellSize }
      }
      if generator.chance(0.5) { settings.clusterer = generator.pick(Clusterer.allCases) }
      if generator.chance(0.2) { settings.maxZoomLevelForClustering = generator.pick([0, 5, 14]) }
      if generator.chance(0.3) { settings.minUniqueLocationsForClustering = generator.int(0...4) }
      if generator.chance(0.3) { settings.minPoints = generator.int(1...5) }
      groups.append(settings)
    }
  }

  /// Takes away what a method without a grid refuses and adds what it takes.
  public mutating func use(_ method: Method, using generator: inout SeededGenerator) {
    let plain = TwinRequest(rect, scale)
    self.method = method
    (cellSize, clusterer, groups) = (plain.cellSize, plain.clusterer, [])
    (maxZoomLevelForClustering, decluster, debug) = (nil, false, false)
    minUniqueLocationsForClustering = plain.minUniqueLocationsForClustering
    minPoints = plain.minPoints
    // None that the distances of regular data equal: those would turn on the last bit.
    if generator.chance(0.7) { epsilon = generator.pick([1, 7.3, 30, 101.7, 509]) }
    if generator.chance(0.7) {
      let sizes = [TwinMarkerSize(1, 1), .init(30.5, 47), .init(101, 19.7), .init(303, 270.2)]
      markerSize = generator.pick(sizes)
    }
    if generator.chance(0.7) { priorityBy = generator.pick(["rank", "population", "absent"]) }
    if generator.chance(0.7) { clusterBy = generator.pick(["kind", "country", "is open"]) }
  }
}
