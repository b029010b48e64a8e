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
  var places: (any FeaturePlaces)?
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
    guard let grid else {
      return AnnotationID(feature: index.record(at: annotation.first).id)
    }
    var name = CellName(
      grid: grid, cellSize: cellSize, cell: CellPosition(column: 0, row: 0), location: nil,
      group: group?.name)
    switch annotation.key {
    case .cell(let cell): name.cell = cell
    case .location(let cell, let location): (name.cell, name.location) = (cell, location)
    case .feature: return AnnotationID(feature: index.record(at: annotation.first).id)
    }
    return .cell(name)
  }
}
