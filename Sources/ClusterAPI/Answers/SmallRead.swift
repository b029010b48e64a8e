import ClusterCore

/// Tells, much more quickly than an estimate (``Cost``), that an answer certainly costs little.
enum SmallRead {
  /// The most cells of a view that may be small.
  private static let cells = 600.0
  /// The most features of an answer in which each may be an annotation of its own, or else is only added up.
  private static let (apart, added) = (1000, 10_000)
  /// The most features whose values are counted.
  private static let counted = 3000
  /// The most features of a page, and the most pins.
  static let (page, pins) = (100, 500)
  /// The most bytes of the properties of a feature that is answered by itself.
  static let feature = 32 << 10
  /// The most corners of the shapes of a filter.
  private static let mostCorners = 128
  /// The most titles of an answer.
  private static let titles = 3000.0

  /// Whether a view certainly costs little.
  ///
  /// - Parameter part: the cells that must be clustered, if the others are known.
  static func isSmall(
    _ request: ViewportRequest, in part: GridRange? = nil, over collection: IndexedCollection
  ) -> Bool {
    guard case .grid(let viewport, _) = request.area, viewport.cells.count <= cells,
      !request.needs.contains(.otherMembers)
    else { return false }
    let range = part ?? viewport.cells
    guard
      let limit = mostFeatures(
        request.values.cell, request.needs, cells: range.count, over: collection)
    else { return false }
    return limit == .max || collection.holds(atMost: limit, in: range)
  }

  /// Whether an annotation, or a part of it, certainly costs little.
  static func isSmall(
    _ id: AnnotationID?, _ options: CellOptions, as part: Cost.AnnotationPart,
    over collection: IndexedCollection
  ) -> Bool {
    guard case .cell(let name) = id, name.group == nil,
      var limit = mostFeatures(options, options.needs, cells: 1, over: collection)
    else { return false }
    switch part {
    case .itself: limit = min(limit, added)
    case .items(let count): limit = min(limit, count <= page ? added : page)
    case .children, .hull: limit = apart
    }
    return collection.holds(atMost: limit, in: name)
  }

  /// The number of features up to which an answer costs little; nil if it may not, whatever their number.
  private static func mostFeatures(
    _ options: CellOptions, _ needs: Needs, cells: Double, over collection: IndexedCollection
  ) -> Int? {
    guard needs.isDisjoint(with: [.lists, .hulls, .expansions, .unknown]),
      !needs.contains(.texts) || Double(options.output.subtitleLimit) * cells <= titles
    else { return nil }
    let isApart = !needs.isDisjoint(with: [.groups, .singles, .zoom, .values])
    let needsColumns = !needs.isDisjoint(with: [.conditions, .groups, .statistics])
    if !isApart && !needsColumns && !needs.contains(.texts) { return .max }
    let properties = options.neededProperties
    let corners = properties.filter?.shapes.reduce(0) { $0 + $1.cornerCount } ?? 0
    guard corners <= mostCorners, !needsColumns || hasColumns(properties, collection),
      options.output.neededTitleProperty.map({ PropertyNotes.isKnown($0, in: collection) }) ?? true
    else { return nil }
    let most = isApart ? apart : properties.countBy == nil ? added : counted
    return min(most, added / max(properties.filter?.slowCount ?? 0, 1))
  }

  /// Whether the columns of some properties are there already.
  private static func hasColumns(
    _ options: PropertyOptions, _ collection: IndexedCollection
  ) -> Bool {
    options.valueNames.allSatisfy { collection.hasColumn($0) }
      && options.keyNames.allSatisfy(collection.hasKeyColumn(named:))
  }
}
