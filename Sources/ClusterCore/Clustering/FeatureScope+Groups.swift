import Threading

extension FeatureScope {
  /// The scopes that are clustered separately: the scope itself, whose features have `group` in common if
  /// that is given, or the request's groups with features in their cells.
  ///
  /// - Parameter selection: The cells to consider, if not all.
  func layers(
    of request: ClusterRequest, _ group: ClusterGroup?, _ selection: CellSelection?
  ) throws(ImpossibleRequest) -> [(group: ClusterGroup?, scope: FeatureScope)] {
    guard let grouping = request.grouping else { return [(group, self)] }
    let groups =
      if let selection {
        try groups(grouping, in: selection)
      } else {
        try groups(grouping, of: request)
      }
    guard let groups else { throw request.tooMany(ClusterRequest.maximumLimit + 1) }
    return groups.map { (grouping.group($0.rank), FeatureScope(collection, $0.selection)) }
  }

  /// The groups with features in their cells of a selection; see ``groups(_:of:)``.
  private func groups(
    _ grouping: Grouping, in selection: CellSelection
  ) throws(ImpossibleRequest) -> [(rank: Int, selection: FeatureSelection)]? {
    if selection.others.isEmpty { return try parts(by: grouping.keys, in: selection.own) }
    return try parts(
      by: grouping, in: selection.region, own: selection.own,
      ofGroup: { selection.others[$0.cellSize] ?? selection.own })
  }

  /// The groups of the scope with features in their cells, by rank; nil if
  /// there are more than ``ClusterRequest/maximumLimit``.
  ///
  /// A viewport that shows much of the scope divides the whole scope and caches the parts; another one
  /// divides only the features that it shows.
  private func groups(
    _ grouping: Grouping, of request: ClusterRequest
  ) throws(ImpossibleRequest) -> [(rank: Int, selection: FeatureSelection)]? {
    let regions = CellsRegion(request.cells)
    if let name, grouping.keys.keys.count < FeatureScope.fewGroups,
      FilterPlan.isMuch(Double(points.countFeatures(in: regions)), of: Double(count))
    {
      let name = name.grouped(by: grouping.property)
      return try collection.parts(named: name) { (before) throws(ImpossibleRequest) in
        if grouping.keys.keys.count <= FeatureScope.veryFewGroups {
          return partsByBlock(grouping.keys, before)
        }
        let all = try parts(by: grouping.keys, most: ClusterRequest.maximumLimit, points.forEachRun)
        return all?.map { (grouping.keys.groupKey($0.rank), $0.selection) } ?? []
      }.map { part in
        // Ranks are those of this column; another column of the same property may have more keys.
        (part.key.map { Int(grouping.keys.rank(of: $0) ?? 0) } ?? 0, part.selection)
      }
    }
    guard request.hasCellsOfGroups else { return try parts(by: grouping.keys, in: regions) }
    return try parts(
      by: grouping, in: request.allCells, own: regions, ofGroup: { CellsRegion($0.cells) })
  }

  /// The number of keys from which on parts are not cached.
  private static let fewGroups = 1024
  /// The number of keys up to which each is expected to have a good part of every block.
  private static let veryFewGroups = 32

  /// The groups of the whole scope, divided block by block.
  private func partsByBlock(_ keys: KeyColumn, _ before: ScopeParts) -> [ScopeParts.Part] {
    let matches = index.matches(before.serials)
    // The parts of the new blocks of the collection, by block number and rank.
    var made: [Int: [SelectedBlock?]] = [:]
    var ranks: Set<Int> = []
    var offsets = [[UInt16]](repeating: [], count: keys.keys.count)
    for (number, match) in matches.enumerated() where match == nil {
      if Cancellation.poll(index.blocks[number].count * 50) { return [] }
      let firstOrdinal = number << PointIndex.blockBits
      forEachOffset(ofBlock: number) { offset in
        offsets[Int(keys.rank(at: firstOrdinal + Int(offset)))].append(offset)
      }
      made[number] = offsets.map { SelectedBlock(index.blocks[number], $0, index.records) }
      for rank in offsets.indices where !offsets[rank].isEmpty {
        ranks.insert(rank)
        offsets[rank].removeAll(keepingCapacity: true)
      }
    }
    // Keys that no longer exist have no features, hence no rank or an empty part.
    for (key, _) in before.all {
      if let rank = key.map({ keys.rank(of: $0).map(Int.init) }) ?? 0 { ranks.insert(rank) }
    }
    return ranks.sorted().compactMap { rank in
      let key = keys.groupKey(rank)
      let part = FeatureSelection(from: before.blocks(ofKey: key), matches, index.records) {
        made[$0]?[rank] ?? nil
      }
      return part.points.count > 0 ? (key, part) : nil
    }
  }

  /// The groups of the features in a region; nil if there are more than ``ClusterRequest/maximumLimit``.
  private func parts(
    by keys: KeyColumn, in region: some IndexRegion
  ) throws(ImpossibleRequest) -> [(rank: Int, selection: FeatureSelection)]? {
    try parts(by: keys, most: ClusterRequest.maximumLimit) { body in
      points.forEachRun(in: region) {
        body($0)
        return true
      }
    }
  }

  /// The groups of the features in their groups' cells, which are `own` without an override and all in
  /// the region `all`; nil if there are more than ``ClusterRequest/maximumLimit``.
  private func parts<Cells: IndexRegion>(
    by grouping: Grouping, in all: some IndexRegion, own: Cells,
    ofGroup cells: (Grouping.Override) -> Cells
  ) throws(ImpossibleRequest) -> [(rank: Int, selection: FeatureSelection)]? {
    var regions: [Int: Cells] = [:]
    for (key, override) in grouping.overrides {
      let region = cells(override)
      if let rank = grouping.keys.rank(of: key) { regions[Int(rank)] = region }
      if key == KeyColumn.nullKey { regions[0] = region }
    }
    let pointers = points.pointers
    defer { withExtendedLifetime(points) {} }
    return try parts(by: grouping.keys, most: ClusterRequest.maximumLimit) { body in
      points.forEachRun(in: all) { run in
        for ordinal in run {
          let rank = Int(grouping.keys.rank(at: collectionOrdinal(ordinal)))
          if (regions[rank] ?? own).contains(ordinal, in: pointers) { body(ordinal..<ordinal + 1) }
        }
        return true
      }
    }
  }
}
