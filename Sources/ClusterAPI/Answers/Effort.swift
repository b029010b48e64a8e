import ClusterCore

/// Tells quick answers from those that would keep an event loop from its other connections.
enum Effort {
  /// The most features that an event loop looks at one by one, which takes a millisecond or less.
  static let fewFeatures = 20_000
  fileprivate static let fewPrevious = 500

  /// Whether an answer may take long, because values of properties must be read first or many features must
  /// be looked at one by one.
  static func isLong(
    over collection: IndexedCollection, filter: FilterExpression?, groupBy: [UInt8]? = nil,
    statistics: Bool = false
  ) -> Bool {
    guard collection.index.count > fewFeatures else { return false }
    if statistics { return true }
    if filter == nil && groupBy == nil { return false }
    return !collection.hasCachedScope(filter: filter, groupBy: groupBy)
  }

  /// Whether an answer with some options may take long: because of their properties, or because titles
  /// are so rare that a column must be made to find them.
  static func isLong(over collection: IndexedCollection, _ options: CellOptions) -> Bool {
    let properties = options.neededProperties
    let isLong = isLong(
      over: collection, filter: properties.filter, groupBy: properties.groupBy,
      statistics: properties.hasStatistics)
    guard !isLong, let title = options.output.neededTitleProperty else { return isLong }
    return !collection.hasColumn(named: title) && TitleWriter.isRare(title, in: collection)
  }
}

extension ViewportRequest {
  /// Whether its answer may take long.
  func isLong(over collection: IndexedCollection) -> Bool {
    if case .tiles = area { return true }
    return Effort.isLong(over: collection, values.cell)
      || min(values.previous?.count ?? 0, collection.index.count) > Effort.fewPrevious
  }

  /// The lane of its work if it may take long: that of quick work if it is a method without a grid over few
  /// features.
  func lane(over collection: IndexedCollection) -> WorkQueue.Lane {
    guard case .tiles(let viewport) = area, !Effort.isLong(over: collection, values.cell) else {
      return .long
    }
    return collection.countFeatures(in: viewport) > Effort.fewFeatures ? .long : .quick
  }
}
