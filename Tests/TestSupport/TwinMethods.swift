import ClusterCore

extension Twin {
  /// A cluster of a method without a grid: its features in index order, and the one it is named by.
  struct Joined {
    let first: Placed
    let members: [Placed]
  }

  /// The answer by distance or collision, section 8.
  func clusterWithoutGrid(_ request: TwinRequest) throws(TwinRefusal) -> TwinAnswer {
    let grid = try TwinGrid(tilesOf: request)
    let inside = placed.filter { grid.contains(grid.cell(x: $0.x, y: $0.y)) }
    let (joined, hidden) = Twin.join(inside, request, scale: grid.scale)
    guard joined.count <= request.limit else { throw .overLimit }
    return TwinAnswer(
      grid: grid, featureCount: inside.count,
      annotations: joined.map { Twin.annotation($0, request, grid) }, cellCounts: [:],
      method: request.method, hidden: hidden)
  }

  /// The annotations of some features alone at a zoom level, without a view.
  public static func joined(
    _ features: [TwinFeature], zoomLevel: Double, _ request: TwinRequest
  ) -> [TwinAnnotation] {
    let grid = TwinGrid(zoomLevel: zoomLevel, cellSize: 256)
    return join(Twin(features).placed, request, scale: grid.scale).joined
      .map { annotation($0, request, grid) }
  }

  /// Features that are in index order, put together; clusters by their first features' order.
  private static func join(
    _ placed: [Placed], _ request: TwinRequest, scale: Double
  ) -> (joined: [Joined], hidden: [TwinFeature]) {
    let all = placed.map { one in
      TwinMarker(
        placed: one, isApart: request.keepApart.contains(one.feature.id),
        group: request.groupBy.map { TwinGroup($0, of: one.value($0)) },
        clusterKey: request.clusterBy.flatMap { TwinKey(of: one.value($0)) },
        priority: TwinMarker.priority(of: one, by: request.priorityBy))
    }
    if request.method == .distance {
      return (components(all, reach: (request.epsilon ?? 30) * scale), [])
    }
    let size = request.markerSize ?? TwinMarkerSize(40, 40)
    return collide(all, width: size.width * scale, height: size.height * scale)
  }

  /// The connected components of all pairs within reach.
  private static func components(_ all: [TwinMarker], reach: Double) -> [Joined] {
    var parents = Array(all.indices)
    func root(_ index: Int) -> Int {
      var at = index
      while parents[at] != at { at = parents[at] }
      return at
    }
    for a in all.indices where !all[a].isApart {
      for b in 0..<a where !all[b].isApart && all[a].group == all[b].group {
        let (dx, dy) = all[a].offset(from: all[b])
        guard dx * dx + dy * dy <= reach * reach else { continue }
        let (one, other) = (root(a), root(b))
        parents[max(one, other)] = min(one, other)
      }
    }
    let members = Dictionary(grouping: all.indices, by: root)
    return members.keys.sorted().map { first in
      Joined(first: all[first].placed, members: (members[first] ?? []).map { all[$0].placed })
    }
  }

  /// Markers placed one after the other.
  private static func collide(
    _ all: [TwinMarker], width: Double, height: Double
  ) -> (joined: [Joined], hidden: [TwinFeature]) {
    let order = all.indices.sorted { a, b in
      if all[a].isApart != all[b].isApart { return all[a].isApart }
      return all[a].priority != all[b].priority ? all[a].priority > all[b].priority : a < b
    }
    var boxes: [(first: Int, members: [Int])] = []
    var hidden: [Int] = []
    for one in order {
      let over = boxes.indices.filter { box in
        let (dx, dy) = all[one].offset(from: all[boxes[box].first])
        return dx < width && dy < height
      }
      if all[one].isApart || over.isEmpty {
        boxes.append((one, [one]))
      } else if let host = over.first(where: { all[boxes[$0].first].takes(all[one]) }) {
        boxes[host].members.append(one)
      } else if all[one].priority == 1000 {
        boxes.append((one, [one]))
      } else {
        hidden.append(one)
      }
    }
    let joined = boxes.sorted { $0.first < $1.first }.map { box in
      Joined(first: all[box.first].placed, members: box.members.sorted().map { all[$0].placed })
    }
    return (joined, hidden.sorted().map { all[$0].placed.feature })
  }

  private static func annotation(
    _ joined: Joined, _ request: TwinRequest, _ grid: TwinGrid
  ) -> TwinAnnotation {
    let (first, members) = (joined.first, joined.members)
    let features = members.map(\.feature)
    var coordinate = first.feature.coordinate
    var bbox = [
      coordinate.longitude, coordinate.latitude, coordinate.longitude, coordinate.latitude,
    ]
    let arcs = members.count > 1 ? TwinArc.shortest(over: features.map(\.coordinate.longitude)) : []
    if let arc = arcs.first {
      let latitudes = features.map(\.coordinate.latitude)
      bbox = [arc.west, latitudes.min() ?? 0, arc.east, latitudes.max() ?? 0]
      if request.method == .distance {
        let mean = latitudes.reduce(0, +) / Double(latitudes.count)
        coordinate = Coordinate(latitude: mean, longitude: arc.mean)
      }
    }
    let titles = titles(features, request)
    return TwinAnnotation(
      cell: grid.cell(x: first.x, y: first.y), grid: grid,
      group: request.groupBy.map { TwinGroup($0, of: first.value($0)) },
      kind: .feature(first.feature.id), features: features, coordinate: coordinate,
      isCoordinateExact: members.count == 1 || request.method == .collision,
      isUniqueLocation: Set(members.map(\.location)).count == 1, bbox: bbox, title: titles.title,
      subtitle: titles.subtitle, originalCoordinate: nil, contested: nil,
      members: members.count > 1 ? Array(features.prefix(request.members)) : [],
      statistics: TwinStatistics(of: members, request), alternatives: Array(arcs.dropFirst()))
  }
}

/// A feature as distance and collision look at it.
private struct TwinMarker {
  let placed: Twin.Placed
  let isApart: Bool
  let group: TwinGroup?
  let clusterKey: TwinKey?
  let priority: Double

  /// What a property says, within 0…1000; 500 where it is no number.
  static func priority(of one: Twin.Placed, by property: String?) -> Double {
    guard let number = property.flatMap({ one.value($0)?.double }) else { return 500 }
    return min(1000, max(0, number))
  }

  /// How far apart they are, the shorter way round the world.
  func offset(from other: TwinMarker) -> (dx: Double, dy: Double) {
    let dx = (placed.x - other.placed.x).magnitude
    // What lies on the southern edge is in the last row, and yet as far south as the edge.
    func south(_ one: Twin.Placed) -> Double {
      one.y == Twin.worldSize.nextDown ? Twin.worldSize : one.y
    }
    return (min(dx, Twin.worldSize - dx), (south(placed) - south(other.placed)).magnitude)
  }

  /// Whether another may join its cluster.
  func takes(_ other: TwinMarker) -> Bool {
    !isApart && clusterKey != nil && clusterKey == other.clusterKey && group == other.group
  }
}
