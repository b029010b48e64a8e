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
    add(values.cell)
    if request.wantsCellsOnly { return }
    add(values.debug ? 1 : 0)
    add(size: Double(values.previous?.count ?? 0))
    add(values.histogram == nil ? 0 : 1)
    add(values.cell.groups == nil ? 0 : 1)
  }

  /// Tells kinds apart by the size of a part of the world.
  private mutating func add(_ range: GridRange) {
    add(size: range.count * range.grid.cellMapSize * range.grid.cellMapSize)
  }

  /// Tells kinds apart by what annotations need.
  mutating func add(_ options: CellOptions) {
    let output = options.output
    var needs = 0
    func need(_ isNeeded: Bool) { needs = needs << 1 | (isNeeded ? 1 : 0) }
    need(options.settings.decluster)
    need(options.settings.minPoints > 2)
    need(options.settings.minUniqueLocationsForClustering > 1)
    need(options.settings.maxZoomLevelForClustering != nil)
    need(!options.settings.keepApart.isEmpty)
    need(output.isGeoJSON)
    need(output.needsHull)
    need(output.needsExpansion)
    add(needs)
    add(output.properties)
    if output.members > 0 { add(size: Double(output.members)) }
    guard options.namesProperties else { return }
    if output.neededTitleProperty != nil { add(size: Double(output.subtitleLimit) + 1) }
    add(options.neededProperties)
  }

  /// Tells kinds apart by what is needed of features' properties.
  mutating func add(_ options: PropertyOptions) {
    add(options.filter)
    var needs = 0
    func need(_ isNeeded: Bool) { needs = needs << 1 | (isNeeded ? 1 : 0) }
    need(options.groupBy != nil)
    need(options.countBy != nil)
    need(options.weightBy != nil)
    need(options.needsValues)
    add(needs)
    add(size: Double(options.aggregates?.count ?? 0))
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
