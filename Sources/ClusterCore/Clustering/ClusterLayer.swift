/// One clustering of an answer: of all features, or of a group.
public struct ClusterLayer: Sendable {
  /// The group, where there are groups.
  public var group: ClusterGroup?
  /// The grid that its annotations' ids name; nil for methods without one.
  public let grid: CellGrid?
  /// The grid's cell size in points.
  public let cellSize: Double
  /// Calls back with the runs of an annotation's features that are also among those held by another.
  let runs: @Sendable (Annotation, HeldOrdinals?, (Range<Int>) -> Bool) -> Void

  /// How many of an annotation's features are also among those held by another.
  func count(of annotation: Annotation, in held: HeldOrdinals) -> Int {
    var total = 0
    runs(annotation, held) {
      total += $0.count
      return true
    }
    return total
  }

  /// The name of an annotation.
  public func id(of annotation: Annotation, in index: FeatureIndex) -> AnnotationID {
    guard let grid else {
      return AnnotationID(feature: index.record(at: annotation.first).id)
    }
    var name = CellName(
      grid: grid, cellSize: cellSize, cell: CellPosition(column: 0, row: 0), location: nil,
      group: group?.name)
    switch annotation.place {
    case .cell(let cell): name.cell = cell
    case .location(let cell, let location): (name.cell, name.location) = (cell, location)
    case .feature: return AnnotationID(feature: index.record(at: annotation.first).id)
    }
    return .cell(name)
  }
}
