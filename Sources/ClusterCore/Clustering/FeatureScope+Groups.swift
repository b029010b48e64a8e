extension FeatureScope {
  /// The groups of the scope that have features in their cells, by rank, each as a scope of its own;
  /// nil where there are more than any answer has annotations.
  ///
  /// A view of much of the scope takes it apart as a whole and remembers the parts; another one only
  /// looks at what it shows.
  func groups(
    _ grouping: Grouping, of request: ClusterRequest
  ) -> [(rank: Int, scope: FeatureScope)]? {
    let most = ClusterRequest.maximumLimit
    let regions = CellsRegion(request.cells)
    if let name, grouping.keys.keys.count < FeatureScope.fewGroups,
      points.countFeatures(in: regions) > count / 4
    {
      let name = name.grouped(by: grouping.property)
      return collection.scopes(named: name) { before in
        if grouping.keys.keys.count <= FeatureScope.veryFewGroups {
          return partsByBlock(grouping.keys, before)
        }
        let all = parts(by: grouping.keys, most: most, points.forEachRun)
        return all?.map { ScopePart(key: key(of: $0.rank, grouping), scope: $0.scope) } ?? []
      }.map { part in
        // Ranks are those of this column: another one of the same property may know of more keys.
        (part.key.map { Int(grouping.keys.rank(of: $0) ?? 0) } ?? 0, part.scope)
      }
    }
    guard request.hasCellsOfGroups else { return parts(by: grouping.keys, in: regions) }
    return parts(
      by: grouping, in: request.allCells, own: regions, ofGroup: { CellsRegion($0.cells) })
  }

  private func key(of rank: Int, _ grouping: Grouping) -> [UInt8]? {
    rank == 0 ? nil : grouping.keys.keys[rank]
  }

  /// As many groups are remembered, at most.
  private static let fewGroups = 1024
  /// So few that each has a good part of every block.
  private static let veryFewGroups = 32

  /// The groups of all of the scope, block by block.
  private func partsByBlock(_ keys: KeyColumn, _ before: ScopeParts) -> [ScopePart] {
    let matches = index.matches(before.serials)
    // By new block of the collection and rank.
    var made: [Int: [SelectedBlock?]] = [:]
    var ranks: Set<Int> = []
    var offsets = [[UInt16]](repeating: [], count: keys.keys.count)
    for (number, match) in matches.enumerated() where match == nil {
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
    // Keys that are no more have no features, hence no rank or an empty part.
    for key in before.keys {
      if let rank = key.map({ keys.rank(of: $0).map(Int.init) }) ?? 0 { ranks.insert(rank) }
    }
    return ranks.sorted().compactMap { rank in
      let key = rank == 0 ? nil : keys.keys[rank]
      let part = BlockSelection(from: before.blocks(ofKey: key), matches, index.records) {
        made[$0]?[rank] ?? nil
      }
      guard part.points.count > 0 else { return nil }
      return ScopePart(key: key, scope: FeatureScope(collection, part, name: nil))
    }
  }

  /// The groups of the features in a region; nil where there are more than any answer has annotations.
  func parts(
    by keys: KeyColumn, in region: some IndexRegion
  ) -> [(rank: Int, scope: FeatureScope)]? {
    parts(by: keys, most: ClusterRequest.maximumLimit) { body in
      points.forEachRun(in: region) {
        body($0)
        return true
      }
    }
  }

  /// As above where groups have cells of their own: a feature counts if it is in those of its group.
  ///
  /// - Parameters:
  ///   - all: holds at least the features in any group's cells.
  ///   - own: the cells of groups that have no others.
  func parts<Cells: IndexRegion>(
    by grouping: Grouping, in all: some IndexRegion, own: Cells,
    ofGroup cells: (Grouping.Override) -> Cells
  ) -> [(rank: Int, scope: FeatureScope)]? {
    var regions: [Int: Cells] = [:]
    for (key, override) in grouping.overrides {
      let region = cells(override)
      if let rank = grouping.keys.rank(of: key) { regions[Int(rank)] = region }
      if key == KeyColumn.nullKey { regions[0] = region }
    }
    let view = points.pointers
    return withExtendedLifetime(points) {
      parts(by: grouping.keys, most: ClusterRequest.maximumLimit) { body in
        points.forEachRun(in: all) { run in
          for place in run {
            let rank = Int(grouping.keys.rank(at: collectionOrdinal(place)))
            if (regions[rank] ?? own).contains(place, in: view) { body(place..<place + 1) }
          }
          return true
        }
      }
    }
  }
}
