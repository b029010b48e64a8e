import ClusterCore

extension ReadKind {
  /// The kind of the reads of a viewport, or of some of its cells.
  ///
  /// - Parameter part: the cells that must be clustered, if the others are known.
  init(
    _ resource: Resource, of collection: String, _ request: ViewportRequest,
    in part: GridRange? = nil
  ) {
    self.init(resource, of: collection)
    let values = request.values
    switch request.area {
    case .grid(let viewport, _):
      let cells = part ?? viewport.cells
      add(cells)
      add(size: cells.count)
    case .tiles(let viewport):
      add(values.method == .distance ? 1 : 2)
      add(viewport.tiles)
      add(size: viewport.tiles.count)
    }
    add(values.cell, request.needs)
    guard request.needs.contains(.otherMembers) else { return }
    add(values.debug ? 1 : 0)
    add(size: Double(values.previous?.count ?? 0))
    add(values.histogram == nil ? 0 : 1)
  }

  /// Tells kinds apart by the size of a part of the world.
  private mutating func add(_ range: GridRange) {
    add(size: range.count * range.grid.cellMapSize * range.grid.cellMapSize)
  }

  /// Tells kinds apart by the needs of annotations, and by the sizes of what is needed.
  mutating func add(_ options: CellOptions, _ needs: Needs) {
    add(Int(needs.rawValue))
    let (properties, output) = (options.properties, options.output)
    add(output.properties)
    if output.members > 0 { add(size: Double(output.members)) }
    if needs.contains(.texts) { add(size: Double(output.subtitleLimit) + 1) }
    if needs.contains(.conditions) { add(properties.filter) }
    if needs.contains(.statistics) { add(size: Double(properties.aggregates?.count ?? 0)) }
  }

  /// Tells kinds apart by how long the conditions of a filter may take.
  mutating func add(_ filter: FilterExpression?) {
    guard let filter else { return }
    add(size: Double(filter.byteCount))
    add(size: Double(filter.slowCount))
  }

  /// Tells kinds apart by whether features carry all of their properties, some, or none.
  mutating func add(_ selection: AnnotationOptions.PropertySelection) {
    switch selection {
    case .all: add(0)
    case .none: add(1)
    case .names: add(2)
    }
  }
}
