/// An annotation that is on screen now.
public struct PreviousAnnotation: Sendable {
  /// Its id, as an earlier answer gave it.
  public var id: String
  /// Where it is drawn.
  public var coordinate: Coordinate

  /// Creates an annotation from what the client says of it.
  public init(id: String, coordinate: Coordinate) {
    self.id = id
    self.coordinate = coordinate
  }
}

/// Leaves as much as possible of what is on screen where it is: tells which annotation of a new answer
/// goes on from which of the ones before. Stateless: what an earlier annotation held is read off its
/// id and asked of the features of today.
public struct StillMap {
  /// How far apart coordinates can be that count as the same, in degrees.
  public static let tolerance = 1e-7
  /// The most annotations on screen.
  public static let maximumPrevious = 10_000

  /// What becomes of an earlier annotation.
  private struct Earlier {
    let coordinate: Coordinate
    /// Nil where its id means nothing.
    let id: AnnotationID?
    /// What it stands for today; nil for nothing.
    let held: HeldPlaces?
    let group: GroupName?
    var isUsed = false
  }

  private let scope: FeatureScope
  private let grouping: Grouping?
  private let keys: (GroupName) -> (property: [UInt8], keys: KeyColumn)?
  private var earlier: [Earlier] = []
  /// Places in ``earlier`` by latitude.
  private var byLatitude: [Int] = []
  /// Places in ``earlier`` by the cell that holds the coordinate, for each grid that is asked for.
  private var byCell: [CellGrid: [CellPosition: [Int]]] = [:]

  /// The annotations on screen, which are not more than ``maximumPrevious`` and have different ids.
  ///
  /// - Parameters:
  ///   - scope: the features that pass the filter of the new request, at least those in its cells.
  ///   - grouping: that of the new request.
  ///   - keys: the values of the property that another group is of.
  public init(
    _ previous: [PreviousAnnotation], in scope: FeatureScope, grouping: Grouping?,
    keys: @escaping (GroupName) -> (property: [UInt8], keys: KeyColumn)?
  ) {
    self.scope = scope
    self.grouping = grouping
    self.keys = keys
    earlier = previous.map { StillMap.earlier($0, scope.index) }
    byLatitude = earlier.indices.sorted {
      earlier[$0].coordinate.latitude < earlier[$1].coordinate.latitude
    }
  }

  private static func earlier(_ previous: PreviousAnnotation, _ index: FeatureIndex) -> Earlier {
    let id = AnnotationID(text: previous.id)
    var held: HeldPlaces?
    var group: GroupName?
    switch id {
    case nil: break
    case .cell(let name):
      let cell = CellRegion(grid: name.grid, cell: name.cell)
      held =
        name.location.map { .location(LocationRegion(cell: cell, location: $0)) } ?? .cell(cell)
      group = name.group
    case .feature(_), .longText(_, _):
      held = id.flatMap(index.place(named:)).map { .feature($0) }
    }
    return Earlier(coordinate: previous.coordinate, id: id, held: held, group: group)
  }

  /// Says of each annotation of a result which earlier one it goes on from
  /// (``Annotation/reuses``), and leaves clusters where that one stands, as far as they may.
  public mutating func settle(_ result: inout ClusterResult) {
    takeOwn(&result)
    for place in result.annotations.indices where result.annotations[place].reuses == nil {
      guard let taken = best(for: result.annotations[place], in: result) else { continue }
      take(taken, for: &result.annotations[place], in: result)
    }
  }

  /// Each annotation first takes the earlier one with its own id, always.
  private mutating func takeOwn(_ result: inout ClusterResult) {
    var byID: [AnnotationID: Int] = [:]
    for (place, one) in earlier.enumerated() {
      if let id = one.id { byID[id] = place }
    }
    guard !byID.isEmpty else { return }
    for place in result.annotations.indices {
      let annotation = result.annotations[place]
      let id = result.layer(of: annotation).id(of: annotation, in: scope.index)
      guard let own = byID[id] else { continue }
      let layer = result.layer(of: annotation)
      take(own, for: &result.annotations[place], in: layer)
    }
  }

  private mutating func take(
    _ place: Int, for annotation: inout Annotation, in result: ClusterResult
  ) {
    take(place, for: &annotation, in: result.layer(of: annotation))
  }

  private mutating func take(
    _ place: Int, for annotation: inout Annotation, in layer: ClusterLayer
  ) {
    earlier[place].isUsed = true
    annotation.reuses = place
    let coordinate = earlier[place].coordinate
    if annotation.isClusterOfCell, let grid = layer.grid,
      grid.cell(of: coordinate) == annotation.cell
    {
      annotation.coordinate = coordinate
    }
  }

  /// The unused earlier annotation that shares most features with a new one, the first of equal ones.
  private mutating func best(for annotation: Annotation, in result: ClusterResult) -> Int? {
    let layer = result.layer(of: annotation)
    var best: (place: Int, shared: Int)?
    for place in candidates(for: annotation, in: layer) where !earlier[place].isUsed {
      let shared = shared(annotation, earlier[place], in: layer)
      guard shared > 0 else { continue }
      guard let known = best else {
        best = (place, shared)
        continue
      }
      if shared > known.shared || (shared == known.shared && place < known.place) {
        best = (place, shared)
      }
    }
    return best?.place
  }

  /// A cluster of a whole cell may go on from what lies in its cell; any other annotation only from
  /// what lies where it is itself.
  private mutating func candidates(for annotation: Annotation, in layer: ClusterLayer) -> [Int] {
    guard annotation.isClusterOfCell, let grid = layer.grid, let cell = annotation.cell else {
      return near(annotation.coordinate).filter {
        guard let grid = layer.grid, let cell = annotation.cell else { return true }
        return grid.cell(of: earlier[$0].coordinate) == cell
      }
    }
    if byCell[grid] == nil {
      var cells: [CellPosition: [Int]] = [:]
      for (place, one) in earlier.enumerated() where one.held != nil {
        cells[grid.cell(of: one.coordinate), default: []].append(place)
      }
      byCell[grid] = cells
    }
    return byCell[grid]?[cell] ?? []
  }

  /// Earlier annotations at a coordinate, longitudes modulo 360.
  private func near(_ coordinate: Coordinate) -> [Int] {
    let low = coordinate.latitude - StillMap.tolerance
    var (start, end) = (0, byLatitude.count)
    while start < end {
      let middle = (start + end) / 2
      if earlier[byLatitude[middle]].coordinate.latitude < low {
        start = middle + 1
      } else {
        end = middle
      }
    }
    var found: [Int] = []
    for place in byLatitude[start...] {
      let other = earlier[place].coordinate
      if other.latitude > coordinate.latitude + StillMap.tolerance { break }
      let turn = (other.longitude - coordinate.longitude).magnitude
        .truncatingRemainder(dividingBy: 360)
      if min(turn, 360 - turn) <= StillMap.tolerance { found.append(place) }
    }
    return found
  }

  /// How many features an annotation shares with an earlier one.
  private func shared(_ annotation: Annotation, _ other: Earlier, in layer: ClusterLayer) -> Int {
    guard let held = other.held else { return 0 }
    guard let group = other.group else { return layer.count(of: annotation, in: held) }
    if let grouping, let own = layer.group, group.isOf(property: grouping.property) {
      return group.isOf(key: own.key) ? layer.count(of: annotation, in: held) : 0
    }
    // Another property's group, or a view that had groups before one that has none.
    guard let (_, column) = keys(group) else {
      return group.isOf(key: nil) ? layer.count(of: annotation, in: held) : 0
    }
    guard let rank = column.rank(of: group) else { return 0 }
    var count = 0
    layer.runs(annotation, held) { run in
      for place in run where column.rank(at: place) == rank { count += 1 }
      return true
    }
    return count
  }

  /// Which of the earlier annotations no new one goes on from, in the order in which they were given.
  public var removed: [Int] { earlier.indices.filter { !earlier[$0].isUsed } }
}

extension CellGrid {
  /// The cell that holds a coordinate, whose longitude may be beyond ±180.
  func cell(of coordinate: Coordinate) -> CellPosition {
    let longitude = Geodesy.normalisedLongitude(coordinate.longitude)
    return CellPosition(
      column: cell(of: WebMercator.x(longitude: longitude)),
      row: cell(of: WebMercator.y(latitude: coordinate.latitude)))
  }
}
