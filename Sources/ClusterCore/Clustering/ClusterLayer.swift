import Threading

/// The part of an answer in which features are clustered together: all features, or those of a group.
public struct ClusterLayer: Sendable {
  /// The group; nil if features aren't grouped.
  public var group: ClusterGroup?
  /// The grid that its annotations' ids name; nil for methods without a grid.
  public let grid: CellGrid?
  /// The grid's cell size in points.
  public let cellSize: Double
  /// By which features are clustered on its grid and on finer ones.
  var settings = ClusterSettings()
  /// Tells of the places of annotations' features without looking at all of them; nil if they are not in a
  /// tree of their own.
  var places: GridFeatures?
  /// Calls its last argument with the runs of an annotation's features that are also held by a previous
  /// one, if that is given, until it returns false.
  let runs: @Sendable (Annotation, HeldFeatures?, (Range<Int>) -> Bool) -> Void

  /// The number of an annotation's features that are also held by a previous one.
  func count(of annotation: Annotation, in held: HeldFeatures) -> Int {
    var total = 0
    runs(annotation, held) {
      total += $0.count
      return true
    }
    return total
  }

  /// The id of an annotation.
  public func id(of annotation: Annotation, in index: FeatureIndex) -> AnnotationID {
    guard let grid, let region = annotation.region(on: grid) else {
      return AnnotationID(feature: index.record(at: annotation.first).id)
    }
    return .cell(
      CellName(
        grid: grid, cellSize: cellSize, cell: region.cell, location: region.location,
        group: group?.name))
  }
}

/// The features that a previous annotation stands for now.
enum HeldFeatures: Sendable {
  /// Those of a cell, or of a location in one.
  case cell(CellRegion)
  /// A feature, given by its ordinal in the collection.
  case feature(Int)
}

extension ClusterLayer {
  /// Returns the exact bounds of an annotation's features. Only the coordinates of features within a step
  /// of its rounded bounds are read. O(n) in the annotation's features.
  func exactBounds(of annotation: Annotation, in index: FeatureIndex) -> GeoBounds {
    // The bounds of a single feature are exact.
    guard annotation.count > 1 else { return annotation.bounds }
    let bounds = annotation.bounds
    let first = Position(Coordinate(latitude: bounds.north, longitude: bounds.west))
    let last = Position(Coordinate(latitude: bounds.south, longitude: bounds.east))
    func isNear(_ a: UInt32, _ b: UInt32) -> Bool { a &- b &+ 1 <= 2 }
    var exact = GeoBounds.empty
    runs(annotation, nil) { run in
      for ordinal in run {
        let position = index.position(at: ordinal)
        let (isWest, isEast) = (isNear(position.x, first.x), isNear(position.x, last.x))
        let (isNorth, isSouth) = (isNear(position.y, first.y), isNear(position.y, last.y))
        guard isWest || isEast || isNorth || isSouth else { continue }
        let own = GeoBounds(index.coordinate(at: ordinal))
        if isWest { exact.west = min(exact.west, own.west) }
        if isEast { exact.east = max(exact.east, own.east) }
        if isNorth { exact.north = max(exact.north, own.north) }
        if isSouth { exact.south = min(exact.south, own.south) }
      }
      return true
    }
    return exact
  }
}

extension ClusterLayer {
  /// Returns the convex hull of an annotation's features.
  ///
  /// - Complexity: for clusters of a grid, proportional to the nodes of the tree at its edge; without a grid,
  ///   O(n log h) in the annotation's features and the hull's corners.
  func hull(of annotation: Annotation, in index: FeatureIndex) -> Hull {
    guard annotation.isCluster else { return Hull(only: index.coordinate(at: annotation.first)) }
    if let places {
      return places.hull(of: annotation) ?? Hull(only: index.coordinate(at: annotation.first))
    }
    let bounds = annotation.bounds
    // A gap of which the middle is certainly without features.
    let isTurned = bounds.west > bounds.east
    let middle = Coordinate(latitude: 0, longitude: (bounds.west + bounds.east) / 2)
    let cut = isTurned ? Position(middle).x : 0
    var builder = HullBuilder()
    forEachPosition(of: annotation, in: index) { builder.add(HullPoint($0.position, cut: cut)) }
    builder.settle()
    let corners = builder.corners
    let wanted = Set(corners.map(\.position))
    var first: [Position: Int] = [:]
    forEachPosition(of: annotation, in: index) { position, ordinal in
      if wanted.contains(position), first[position] == nil { first[position] = ordinal }
    }
    return Hull(corners) { index.coordinate(at: first[$0] ?? annotation.first) }
  }

  private func forEachPosition(
    of annotation: Annotation, in index: FeatureIndex,
    _ body: ((position: Position, ordinal: Int)) -> Void
  ) {
    runs(annotation, nil) { run in
      for ordinal in run { body((index.position(at: ordinal), ordinal)) }
      return !Cancellation.poll(run.count &* 10)
    }
  }
}
