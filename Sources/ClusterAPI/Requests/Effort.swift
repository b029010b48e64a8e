import ClusterCore

/// Tells answers that are made in microseconds from those that would keep an event loop from its other
/// clients.
enum Effort {
  /// What may be looked at feature by feature between two events, a millisecond or less.
  static let fewFeatures = 20_000
  private static let fewPrevious = 500

  /// Whether an answer from a collection may take long: values of properties must be read first, or
  /// many features be looked at one by one.
  static func isLong(
    over collection: IndexedCollection, filter: FilterExpression?, groupBy: [UInt8]? = nil,
    statistics: Bool = false
  ) -> Bool {
    guard collection.index.count > fewFeatures else { return false }
    if statistics { return true }
    if filter == nil && groupBy == nil { return false }
    return !collection.remembers(filter: filter, groupBy: groupBy)
  }

  static func isLong(over collection: IndexedCollection, _ fields: PropertyFields) -> Bool {
    isLong(
      over: collection, filter: fields.filter, groupBy: fields.groupBy,
      statistics: fields.hasStatistics)
  }

  /// Whether titles are so rare that a column must be made to find them.
  static func isLong(over collection: IndexedCollection, _ output: AnnotationOptions) -> Bool {
    guard let property = output.titleProperty, !collection.hasColumn(named: property) else {
      return false
    }
    return TitleWriter.isRare(property, in: collection)
  }

  static func isLong(over collection: IndexedCollection, previous: [PreviousAnnotation]?) -> Bool {
    previous.map { $0.count > fewPrevious } ?? false && collection.index.count > fewPrevious
  }
}

extension ViewportRequest {
  /// Whether its answer may take long.
  func isLong(over collection: IndexedCollection) -> Bool {
    if case .tiles = method { return true }
    return Effort.isLong(over: collection, properties) || Effort.isLong(over: collection, output)
      || Effort.isLong(over: collection, previous: previous)
  }
}
