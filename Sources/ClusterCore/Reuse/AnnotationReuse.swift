/// Leaves as much as possible of what is on screen where it is: tells which annotation of a new answer
/// goes on from which of the ones before. Stateless: what an earlier annotation held is read off its
/// id and asked of the features of today.
public struct AnnotationReuse {
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
    let held: HeldOrdinals?
    let group: GroupName?
    var isUsed = false
  }

  private let scope: FeatureScope
  private let grouping: Grouping?
  private let keys: (GroupName) -> (property: [UInt8], keys: KeyColumn)?
  private var earlier: [Earlier] = []
  /// Places in ``earlier`` by coordinate.
  private var byCoordinate: CoordinateLookup
  /// Places in ``earlier`` by the cell that holds the coordinate, for each grid that is asked for.
  private var byCell: [CellGrid: [CellPosition: [Int]]] = [:]
  /// The values of the properties that earlier annotations' groups are of, as far as they were asked
  /// for.
  private var columns: [GroupName: (keys: KeyColumn, rank: UInt32?)?] = [:]
  /// The properties whose values are known, or that no feature has.
  private var knownProperties: [GroupName.Part: (property: [UInt8], keys: KeyColumn)?] = [:]
  /// What may still be done.
  var budget = WorkBudget(AnnotationReuse.work)

  /// The most work, in units of about a nanosecond. Maps take a hundredth of it; more is only needed
  /// where thousands of annotations each have thousands of earlier ones to choose from.
  private static let work = 1_000_000_000

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
    let earlier = previous.map { AnnotationReuse.earlier($0, scope.index) }
    self.earlier = earlier
    byCoordinate = CoordinateLookup(
      earlier.enumerated().lazy.filter { $0.element.held != nil }.map {
        ($0.offset, $0.element.coordinate)
      })
  }

  private static func earlier(_ previous: PreviousAnnotation, _ index: FeatureIndex) -> Earlier {
    let id = AnnotationID(text: previous.id)
    var held: HeldOrdinals?
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
  ///
  /// - Throws: ``ImpossibleRequest`` where so many earlier ones may go on in each that it takes too
  ///   long.
  public mutating func settle(_ result: inout ClusterResult) throws(ImpossibleRequest) {
    takeOwn(&result)
    for place in result.annotations.indices where result.annotations[place].reuses == nil {
      guard let taken = try best(for: result.annotations[place], in: result) else { continue }
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
  private mutating func best(
    for annotation: Annotation, in result: ClusterResult
  ) throws(ImpossibleRequest) -> Int? {
    let layer = result.layer(of: annotation)
    let extent = layer.grid.map { _ in FeatureExtent(annotation.bounds) }
    let rank = layer.group.flatMap { $0.key.map { grouping?.keys.rank(of: $0) } ?? 0 }
    var best: (place: Int, shared: Int)?
    for place in candidates(for: annotation, in: layer) where !earlier[place].isUsed {
      guard let held = earlier[place].held else { continue }
      budget.spend(10)
      guard extent?.meets(held, of: scope.index) ?? true else { continue }
      if let rank, case .feature(let place) = held, grouping?.keys.rank(at: place) != rank {
        continue
      }
      let shared = shared(annotation, held, of: earlier[place].group, in: layer)
      guard !budget.isSpent else { throw AnnotationReuse.tooMuch(earlier.count) }
      if shared > best?.shared ?? 0 { best = (place, shared) }
      // Candidates come in the order in which they were given: no later one is better.
      if shared == annotation.count { break }
    }
    guard !budget.isSpent else { throw AnnotationReuse.tooMuch(earlier.count) }
    return best?.place
  }

  private static func tooMuch(_ count: Int) -> ImpossibleRequest {
    ImpossibleRequest(
      field: "previous",
      detail: "too many of the \(count) annotations in previous are candidates for the same ones "
        + "of this view; those of the last answer alone, or none, would do")
  }

  /// A cluster of a whole cell may go on from what lies in its cell; any other annotation only from
  /// what lies where it is itself.
  private mutating func candidates(for annotation: Annotation, in layer: ClusterLayer) -> [Int] {
    guard annotation.isClusterOfCell, let grid = layer.grid, let cell = annotation.cell else {
      let near = byCoordinate.places(within: AnnotationReuse.tolerance, of: annotation.coordinate)
      budget.spend(near.count * 4 * WorkBudget.node)
      return near.filter {
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
    let inCell = byCell[grid]?[cell] ?? []
    budget.spend(inCell.count)
    return inCell
  }

  /// How many features an annotation shares with an earlier one of a group.
  private mutating func shared(
    _ annotation: Annotation, _ held: HeldOrdinals, of group: GroupName?, in layer: ClusterLayer
  ) -> Int {
    guard let group else { return count(annotation, held, in: layer) }
    if let grouping, let own = layer.group, group.isOf(property: grouping.property) {
      return group.isOf(key: own.key) ? count(annotation, held, in: layer) : 0
    }
    // Another property's group, or a view that had groups before one that has none.
    guard let (keys, rank) = column(of: group) else {
      return group.isOf(key: nil) ? count(annotation, held, in: layer) : 0
    }
    guard let rank else { return 0 }
    spend(annotation, in: layer)
    var count = 0
    var looked = 0
    layer.runs(annotation, held) { run in
      looked += run.count
      for place in run where keys.rank(at: place) == rank { count += 1 }
      return true
    }
    budget.spend(looked * 2)
    return count
  }

  private mutating func count(
    _ annotation: Annotation, _ held: HeldOrdinals, in layer: ClusterLayer
  ) -> Int {
    spend(annotation, in: layer)
    return layer.count(of: annotation, in: held)
  }

  /// Accounts for a look at an annotation's features: a search on a grid, one after the other without.
  private mutating func spend(_ annotation: Annotation, in layer: ClusterLayer) {
    budget.spend(layer.grid == nil ? annotation.count * 10 : 1000)
  }

  /// The values of the property that a group is of, and the rank of its key, if any feature has it;
  /// nil where no feature has the property.
  private mutating func column(of group: GroupName) -> (keys: KeyColumn, rank: UInt32?)? {
    if let known = columns[group] { return known }
    if knownProperties[group.property] == nil {
      // Read out of every feature, unless it was asked for lately; a hash is looked for in all names.
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

  /// Which of the earlier annotations no new one goes on from, in the order in which they were given.
  public var removed: [Int] { earlier.indices.filter { !earlier[$0].isUsed } }
}
