import ClusterCore
import FeatureStore
import GeoFormats
import Threading

extension IndexedCollection {
  /// The smallest collection whose columns take so much memory that it is checked before.
  private static let large = 200_000

  /// Throws ``ImpossibleRequest/outOfMemory`` unless there is memory for the columns that are needed and aren't there yet,
  /// and for what a filter selects.
  package func checkMemory(
    forNeeded names: @autoclosure () -> [ColumnName]
  ) throws(ImpossibleRequest) {
    guard index.count >= IndexedCollection.large else { return }
    let names = names()
    if !names.isEmpty { try checkMemory(forColumns: names) }
  }

  /// A request's filter with the values of the properties that it names, and of ids.
  ///
  /// - Throws: ``ImpossibleRequest/outOfMemory`` if there is no memory for the columns that it needs.
  /// - Complexity: O(bytes of all properties) the first time that a property is named, else O(distinct values).
  package func filter(_ expression: FilterExpression) throws(ImpossibleRequest) -> FeatureFilter {
    bound(try reading(expression))
  }

  /// A request's filter as this version reads it, which means the same as a filter of a key, after a look whether there is
  /// memory for it.
  ///
  /// - Throws: ``ImpossibleRequest/outOfMemory`` if there isn't.
  package func reading(_ expression: FilterExpression) throws(ImpossibleRequest) -> FilterExpression
  {
    try checkMemory(forNeeded: expression.neededColumns)
    // `id` is the feature's id, unless a feature has a property of that name now.
    guard expression.names(FilterExpression.id), !hasIDProperty else { return expression }
    return expression.readingID(as: FilterExpression.id)
  }

  /// A key's filter with the values of the properties that it names. It depends on nothing but the feature itself,
  /// so `id` is always a property.
  ///
  /// - Throws: as ``filter(_:)``.
  package func filter(ofKey expression: FilterExpression) throws(ImpossibleRequest) -> FeatureFilter
  {
    try checkMemory(forNeeded: expression.neededColumns)
    return bound(expression)
  }

  private func bound(_ expression: FilterExpression) -> FeatureFilter {
    FeatureFilter(expression, of: index, columns: { self.column($0) })
  }

  /// Whether a feature has a property `id`, other than null. True after a cancellation, when that isn't
  /// known.
  package var hasIDProperty: Bool {
    column(of: FilterExpression.id).hasValues || Cancellation.isOver
  }

  /// The values of a property, named in UTF-8.
  package func column(of property: [UInt8]) -> PropertyColumn {
    column(ColumnName(property), decoder: JSONPropertyDecoder())
  }

  /// The column of a property as a filter reads it.
  package func column(_ name: ColumnName) -> PropertyColumn {
    switch name.reading {
    case .values: column(of: name.property)
    case .times, .days: column(name, decoder: JSONTimeDecoder(name.reading))
    }
  }
}

extension FilterExpression {
  /// The property that stands for a feature's id in filters, unless features have it.
  package static let id = Array("id".utf8)

  /// Whether its meaning depends on whether any feature has a property `id`, so that a write may change its
  /// result for features elsewhere.
  package var dependsOnOthers: Bool { names(FilterExpression.id) }
}

extension FilterExpression? {
  /// The filter for those of some features that pass.
  package func narrowed(to ids: [FeatureID]?) -> FilterExpression? {
    guard let ids else { return self }
    let isOne = FilterExpression.isOne(of: ids)
    return map { .and([$0, isOne]) } ?? isOne
  }

  /// The filter for features whose time overlaps a span as well. Features without a time pass, and one with only
  /// a start or only an end has no other bound.
  package func narrowed(to span: TimeExtent?, of temporal: TemporalProperties?) -> FilterExpression?
  {
    guard let span, let temporal, span != TimeExtent(first: -.infinity, last: .infinity) else {
      return self
    }
    let windows: [FilterExpression]
    switch temporal {
    case .instant(let name): windows = [.window(property: Array(name.utf8), span)]
    case .span(let start, let end):
      windows = [
        .window(property: Array(start.utf8), TimeExtent(first: -.infinity, last: span.last)),
        .window(property: Array(end.utf8), TimeExtent(first: span.first, last: .infinity)),
      ]
    }
    let all = [self].compactMap(\.self) + windows
    return all.count == 1 ? all[0] : .and(all)
  }
}
