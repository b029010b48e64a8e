import Threading

/// Matches the annotations of a new answer with previous ones on the client's screen, so that as many as
/// possible of those are reused and stay where they are.
///
/// The server keeps no state about clients: the features that a previous annotation stands for are
/// derived from its id and the current features.
public struct AnnotationReuse {
  /// The maximum distance between coordinates that count as equal, in degrees.
  public static let tolerance = 1e-7
  /// The maximum number of previous annotations.
  public static let maximumPrevious = 10_000

  private struct Previous {
    let coordinate: Coordinate
    /// The parsed id; nil if it is malformed.
    let id: AnnotationID?
    /// The features that it stands for now; nil if there are none.
    let held: HeldFeatures?
    let group: GroupName?
    var isUsed = false
  }

  private let scope: FeatureScope
  private let grouping: Grouping?
  private let keys: (GroupName) -> (property: [UInt8], keys: KeyColumn)?
  private var previous: [Previous] = []
  /// Indices in ``previous`` by coordinate.
  private var byCoordinate: CoordinateLookup
  /// Indices in ``previous`` by the cell that holds the coordinate, for each grid used so far.
  private var byCell: [CellGrid: [CellPosition: [Int]]] = [:]
  /// The keys of the grouping property of previous annotations' groups used so far, with the rank of the
  /// group's key.
  private var columns: [GroupName: (keys: KeyColumn, rank: UInt32?)?] = [:]
  /// The grouping properties used so far with their keys; nil for those that no feature has.
  private var knownProperties: [GroupName.Part: (property: [UInt8], keys: KeyColumn)?] = [:]
  var budget = WorkBudget(AnnotationReuse.work)

  /// The maximum work, in units of about a nanosecond. Maps need a hundredth of it; more is only needed
  /// if thousands of annotations each have thousands of previous ones to choose from.
  private static let work = 1_000_000_000

  /// Creates a reuse of previous annotations.
  ///
  /// - Parameters:
  ///   - previous: At most ``maximumPrevious`` annotations with different ids.
  ///   - scope: The features that pass the filter of the new request, at least those in its cells.
  ///   - grouping: The grouping of the new request.
  ///   - keys: Returns the grouping property of another group and its keys.
  public init(
    _ previous: [PreviousAnnotation], in scope: FeatureScope, grouping: Grouping?,
    keys: @escaping (GroupName) -> (property: [UInt8], keys: KeyColumn)?
  ) {
    self.scope = scope
    self.grouping = grouping
    self.keys = keys
    self.previous.reserveCapacity(previous.count)
    for one in previous {
      if Cancellation.poll(600) { break }
      self.previous.append(AnnotationReuse.resolve(one, scope.index))
    }
    byCoordinate = CoordinateLookup(
      self.previous.enumerated().lazy.filter { $0.element.held != nil }.map {
        ($0.offset, $0.element.coordinate)
      })
  }

  private static func resolve(_ previous: PreviousAnnotation, _ index: FeatureIndex) -> Previous {
    let id = AnnotationID(text: previous.id)
    guard case .cell(let name) = id else {
      let held = id.flatMap(index.ordinal(named:)).map(HeldFeatures.feature)
      return Previous(coordinate: previous.coordinate, id: id, held: held, group: nil)
    }
    let cell = CellRegion(grid: name.grid, cell: name.cell, location: name.location)
    return Previous(coordinate: previous.coordinate, id: id, held: .cell(cell), group: name.group)
  }

  /// Sets which previous annotation each annotation of a result reuses (``Annotation/reuses``), and moves
  /// clusters of cells to its coordinate if that is in their cell.
  ///
  /// - Throws: ``ImpossibleRequest`` if there are so many candidates that it would take too long.
  /// - Complexity: O(a · p) at worst for a annotations with p previous ones at their features; mostly O(a).
  public mutating func apply(to result: inout ClusterResult) throws(ImpossibleRequest) {
    takeOwn(&result)
    for index in result.annotations.indices where result.annotations[index].reuses == nil {
      if Cancellation.poll(50) { return }
      let layer = result.layer(of: result.annotations[index])
      guard let found = try best(for: result.annotations[index], in: layer) else { continue }
      take(found, for: &result.annotations[index], in: layer)
    }
  }

  /// Makes each annotation reuse the previous one with its own id.
  private mutating func takeOwn(_ result: inout ClusterResult) {
    var byID: [AnnotationID: Int] = [:]
    for (index, previous) in previous.enumerated() {
      if let id = previous.id { byID[id] = index }
    }
    guard !byID.isEmpty else { return }
    for index in result.annotations.indices {
      if Cancellation.poll(300) { return }
      let annotation = result.annotations[index]
      let layer = result.layer(of: annotation)
      guard let own = byID[layer.id(of: annotation, in: scope.index)] else { continue }
      take(own, for: &result.annotations[index], in: layer)
    }
  }

  private mutating func take(
    _ index: Int, for annotation: inout Annotation, in layer: ClusterLayer
  ) {
    previous[index].isUsed = true
    annotation.reuses = index
    let coordinate = previous[index].coordinate
    if annotation.isClusterOfCell, let grid = layer.grid,
      grid.cell(of: coordinate) == annotation.cell
    {
      annotation.coordinate = coordinate
    }
  }

  /// The index of the unused previous annotation that shares most features with a new one, the first of
  /// several.
  private mutating func best(
    for annotation: Annotation, in layer: ClusterLayer
  ) throws(ImpossibleRequest) -> Int? {
    let extent = layer.grid.map { _ in FeatureExtent(annotation.bounds) }
    let rank = layer.group.flatMap { $0.key.map { grouping?.keys.rank(of: $0) } ?? 0 }
    var best: (index: Int, shared: Int)?
    for index in candidates(for: annotation, in: layer) where !previous[index].isUsed {
      guard let held = previous[index].held else { continue }
      budget.spend(10)
      guard extent?.meets(held, of: scope.index) ?? true else { continue }
      if let rank, case .feature(let ordinal) = held, grouping?.keys.rank(at: ordinal) != rank {
        continue
      }
      let shared = shared(annotation, held, of: previous[index].group, in: layer)
      guard !budget.isSpent else { throw AnnotationReuse.tooMuch(previous.count) }
      if shared > best?.shared ?? 0 { best = (index, shared) }
      // Candidates are in the order of the request: no later one is better.
      if shared == annotation.count { break }
    }
    guard !budget.isSpent else { throw AnnotationReuse.tooMuch(previous.count) }
    return best?.index
  }

  private static func tooMuch(_ count: Int) -> ImpossibleRequest {
    ImpossibleRequest(
      field: "previous",
      detail: "too many of the \(count) annotations in previous are candidates for the same ones "
        + "of this viewport; only those of the last answer, or none, would do")
  }

  /// The indices of the previous annotations that an annotation may reuse: for a cluster of a whole cell
  /// those in the cell, otherwise those at the same coordinate.
  private mutating func candidates(for annotation: Annotation, in layer: ClusterLayer) -> [Int] {
    guard annotation.isClusterOfCell, let grid = layer.grid, let cell = annotation.cell else {
      let near = byCoordinate.numbers(within: AnnotationReuse.tolerance, of: annotation.coordinate)
      budget.spend(near.count * 4 * WorkBudget.node)
      return near.filter {
        guard let grid = layer.grid, let cell = annotation.cell else { return true }
        return grid.cell(of: previous[$0].coordinate) == cell
      }
    }
    if byCell[grid] == nil {
      var cells: [CellPosition: [Int]] = [:]
      for (index, previous) in previous.enumerated() where previous.held != nil {
        cells[grid.cell(of: previous.coordinate), default: []].append(index)
      }
      byCell[grid] = cells
    }
    let inCell = byCell[grid]?[cell] ?? []
    budget.spend(inCell.count)
    return inCell
  }

  /// The number of features that an annotation shares with a previous one of a group.
  private mutating func shared(
    _ annotation: Annotation, _ held: HeldFeatures, of group: GroupName?, in layer: ClusterLayer
  ) -> Int {
    guard let group else { return count(annotation, held, in: layer) }
    if let grouping, let own = layer.group, group.isOf(property: grouping.property) {
      return group.isOf(key: own.key) ? count(annotation, held, in: layer) : 0
    }
    // The previous answer was grouped by another property, or the new one isn't grouped.
    guard let (keys, rank) = column(of: group) else {
      return group.isOf(key: nil) ? count(annotation, held, in: layer) : 0
    }
    guard let rank else { return 0 }
    spend(annotation, in: layer)
    var count = 0
    var looked = 0
    layer.runs(annotation, held) { run in
      looked += run.count
      for ordinal in run where keys.rank(at: ordinal) == rank { count += 1 }
      return true
    }
    budget.spend(looked * 2)
    return count
  }

  private mutating func count(
    _ annotation: Annotation, _ held: HeldFeatures, in layer: ClusterLayer
  ) -> Int {
    spend(annotation, in: layer)
    return layer.count(of: annotation, in: held)
  }

  /// Spends the work of counting an annotation's features: a search with a grid, a scan without one.
  private mutating func spend(_ annotation: Annotation, in layer: ClusterLayer) {
    budget.spend(layer.grid == nil ? annotation.count * 10 : 1000)
  }

  /// The keys of a group's grouping property and the rank of the group's key, which is nil if no feature
  /// has it; nil if no feature has the property.
  private mutating func column(of group: GroupName) -> (keys: KeyColumn, rank: UInt32?)? {
    if let known = columns[group] { return known }
    if knownProperties[group.property] == nil {
      // A column that isn't cached is read from every feature; a hash is compared with all names.
      let collection = scope.collection
      let isThere = group.wholeProperty.map(collection.hasKeyColumn(named:)) ?? false
      let each = group.wholeProperty == nil ? 400 : 100
      budget.spend(isThere ? WorkBudget.node : collection.index.count * each)
      knownProperties[group.property] = .some(budget.isSpent ? nil : keys(group))
    }
    let found = knownProperties[group.property] ?? nil
    if case .hash = group.key { budget.spend((found?.keys.keys.count ?? 0) * 250) }
    columns[group] = .some(found.map { ($0.keys, $0.keys.rank(of: group)) })
    return columns[group] ?? nil
  }

  /// The indices of the previous annotations that no new one reuses.
  ///
  /// - Complexity: O(p) for p previous annotations.
  public var removed: [Int] { previous.indices.filter { !previous[$0].isUsed } }
}

/// An annotation on the client's screen.
public struct PreviousAnnotation: Sendable {
  /// Its id in an earlier answer.
  public var id: String
  /// The coordinate at which it is drawn.
  public var coordinate: Coordinate

  /// Creates an annotation from its id and coordinate.
  public init(id: String, coordinate: Coordinate) {
    self.id = id
    self.coordinate = coordinate
  }
}
