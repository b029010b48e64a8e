import TestSupport

@testable import ClusterCore

/// The methods without a grid by their definitions: every pair of features is looked at.
struct MethodTwin {
  let points: PointIndex
  let mapPoints: [MapPoint]
  var keptApart: Set<Int> = []

  init(_ points: PointIndex) {
    self.points = points
    mapPoints = (0..<points.count).map { WebMercator.project(points.coordinate(at: $0)) }
  }

  /// How far two features are apart along each axis.
  func distance(_ a: Int, _ b: Int) -> (x: Double, y: Double) {
    let direct = (mapPoints[a].x - mapPoints[b].x).magnitude
    return (min(direct, 268_435_456 - direct), (mapPoints[a].y - mapPoints[b].y).magnitude)
  }

  func isLinked(_ a: Int, _ b: Int, within radius: Double) -> Bool {
    if a == b || keptApart.contains(a) || keptApart.contains(b) { return false }
    let (x, y) = distance(a, b)
    return x * x + y * y <= radius * radius
  }

  /// The ordinals of each component, in index order.
  func components(radius: Double) -> [[Int]] {
    var found: [[Int]] = []
    var isTaken = [Bool](repeating: false, count: points.count)
    for start in 0..<points.count where !isTaken[start] {
      isTaken[start] = true
      var component = [start]
      var next = 0
      while next < component.count {
        for ordinal in start + 1..<points.count where !isTaken[ordinal] {
          if isLinked(component[next], ordinal, within: radius) {
            isTaken[ordinal] = true
            component.append(ordinal)
          }
        }
        next += 1
      }
      found.append(component.sorted())
    }
    return found
  }

  /// Features added up one by one.
  func sum(of ordinals: [Int]) -> PointSum {
    ordinals.reduce(into: PointSum()) { $0.add($1..<$1 + 1, in: points.pointers) }
  }

  /// Bounds and mean by looking at all longitudes in order; several where gaps are as wide but for the
  /// width of a step.
  func extents(of ordinals: [Int]) -> [(bounds: GeoBounds, mean: Coordinate)] {
    let latitudes = ordinals.map { points.coordinate(at: $0).latitude }
    let sorted = ordinals.map { points.coordinate(at: $0).foldedLongitude }.sorted()
    let count = sorted.count
    // What comes before each in the circle.
    let gaps = sorted.indices.map { index in
      index == 0 ? sorted[0] + 360 - sorted[count - 1] : sorted[index] - sorted[index - 1]
    }
    let widest = gaps.max() ?? 0
    return gaps.indices.filter { gaps[$0] >= widest - 2e-7 }.map { turned in
      let turns = sorted.indices.reduce(0) { $0 + sorted[$1] + ($1 < turned ? 360 : 0) }
      var longitude = turns / Double(count)
      if longitude >= 180 { longitude -= 360 }
      let bounds = GeoBounds(
        west: sorted[turned], south: latitudes.min() ?? 0,
        east: sorted[(turned + count - 1) % count], north: latitudes.max() ?? 0)
      let latitude = latitudes.reduce(0, +) / Double(count)
      return (bounds, Coordinate(latitude: latitude, longitude: longitude))
    }
  }

  /// Whether an extent is that of some features.
  func isExtent(_ extent: CircularExtent, of ordinals: [Int]) -> Bool {
    extents(of: ordinals).contains {
      extent.bounds.isNear($0.bounds) && extent.mean.isNear($0.mean, within: 1e-7)
    }
  }

  struct Box {
    var placed: Int
    var members: [Int]
  }

  /// The boxes by ordinal of the placed, and how many features are hidden.
  func collisions(_ request: CollisionClusterer) -> (boxes: [Box], hidden: Int) {
    func priority(_ ordinal: Int) -> Double {
      let priority = request.priorities?[ordinal] ?? .nan
      return priority.isNaN ? 500 : min(max(priority, 0), 1000)
    }
    func joins(_ a: Int, _ b: Int) -> Bool {
      guard let keys = request.clusterKeys, keys[a] == keys[b] else { return false }
      return keys[a] != CollisionClusterer.noKey && request.groups?[a] == request.groups?[b]
    }
    let order = (0..<points.count).sorted {
      (keptApart.contains($0) ? 0 : 1, -priority($0), $0)
        < (keptApart.contains($1) ? 0 : 1, -priority($1), $1)
    }
    var (boxes, hidden): ([Box], Int) = ([], 0)
    for ordinal in order {
      let overlapped = boxes.indices.filter {
        let (x, y) = distance(boxes[$0].placed, ordinal)
        return x < request.width && y < request.height
      }
      let taker = overlapped.first {
        !keptApart.contains(boxes[$0].placed) && joins(boxes[$0].placed, ordinal)
      }
      if keptApart.contains(ordinal) {
        boxes.append(Box(placed: ordinal, members: [ordinal]))
      } else if let taker {
        boxes[taker].members.append(ordinal)
      } else if overlapped.isEmpty || priority(ordinal) == 1000 {
        boxes.append(Box(placed: ordinal, members: [ordinal]))
      } else {
        hidden += 1
      }
    }
    for index in boxes.indices { boxes[index].members.sort() }
    return (boxes.sorted { $0.placed < $1.placed }, hidden)
  }

  /// A distance that is exactly that of two features along an axis or, often, a hair less or more.
  func tie(using generator: inout SeededGenerator) -> Double {
    let (a, b) = (generator.int(0...points.count - 1), generator.int(0...points.count - 1))
    let (x, y) = distance(a, b)
    let distance = max(generator.chance(0.5) ? x : y, 1e-3)
    return generator.pick([distance, distance, distance.nextUp, distance.nextDown])
  }

  /// A distance of any size, or a tie.
  func length(using generator: inout SeededGenerator) -> Double {
    generator.chance(0.4) ? tie(using: &generator) : exponential2(generator.double(-10...31))
  }
}

extension PointIndex {
  static func of(_ features: [TwinFeature]) throws -> PointIndex {
    let index = try FeatureIndex.of(features)
    return FeatureScope(index).selecting(in: AnyRegion(EverywhereRegion())).points
  }

  static func of(_ coordinates: [Coordinate]) throws -> PointIndex {
    try of(
      coordinates.enumerated().map {
        TwinFeature(id: FeatureID(known: $0.offset + 1), coordinate: $0.element)
      })
  }
}
