import ClusterCore
import GeoFormats
import Threading

extension IndexedCollection {
  /// The smallest collection whose columns take so much memory that it is checked before.
  private static let large = 200_000

  /// Throws ``ImpossibleRequest/outOfMemory`` unless there is memory for the columns that an answer needs and
  /// that aren't there yet, and for the selection of a filter.
  func checkMemory(for options: PropertyOptions) throws(ImpossibleRequest) {
    guard index.count >= IndexedCollection.large else { return }
    let names = options.valueNames + options.keyNames.map { ColumnName($0) }
    if !names.isEmpty { try checkMemory(forColumns: names) }
  }

  /// A request's filter with the values of the properties that it names, and of ids.
  func filter(_ expression: FilterExpression) throws(ImpossibleRequest) -> FeatureFilter {
    bound(try reading(expression))
  }

  /// A request's filter as this version reads it, which means the same as a filter of a key, after a look whether there is
  /// memory for it.
  func reading(_ expression: FilterExpression) throws(ImpossibleRequest) -> FilterExpression {
    try checkMemory(for: PropertyOptions(filter: expression))
    return readingIDs(in: expression)
  }

  /// A key's filter with the values of the properties that it names. It depends on nothing but the feature itself,
  /// so `id` is always a property.
  func filter(ofKey expression: FilterExpression) throws(ImpossibleRequest) -> FeatureFilter {
    try checkMemory(for: PropertyOptions(filter: expression))
    return bound(expression)
  }

  private func bound(_ expression: FilterExpression) -> FeatureFilter {
    FeatureFilter(expression, of: index, columns: { self.column($0) })
  }

  /// A request's filter in which `id` is the feature's id, unless a feature has a property of that name now.
  private func readingIDs(in expression: FilterExpression) -> FilterExpression {
    guard expression.names(FilterExpression.id), !hasIDProperty else { return expression }
    return expression.readingID(as: FilterExpression.id)
  }

  /// Whether a feature has a property `id`, other than null. True after a cancellation, when that isn't
  /// known.
  var hasIDProperty: Bool { column(of: FilterExpression.id).hasValues || Interruption.isOver }

  /// The values of a property, named in UTF-8.
  func column(of property: [UInt8]) -> PropertyColumn {
    column(named: property, decoder: JSONPropertyDecoder())
  }

  /// The column of a property as a filter reads it.
  func column(_ name: ColumnName) -> PropertyColumn {
    switch name.reading {
    case .values: column(of: name.property)
    case .times, .days: column(name, decoder: JSONTimeDecoder(name.reading))
    }
  }

  /// The values of a property as keys, named in UTF-8.
  func keys(of property: [UInt8]) -> KeyColumn {
    keyColumn(named: property, decoder: JSONPropertyDecoder())
  }

  /// The values of the property that a group belongs to; nil if no feature has the property.
  func keys(of group: GroupName) -> (property: [UInt8], keys: KeyColumn)? {
    (group.wholeProperty ?? longProperty(of: group)).map { ($0, keys(of: $0)) }
  }

  /// The property whose hash a group's name holds. Looks at every feature.
  private func longProperty(of group: GroupName) -> [UInt8]? {
    var found: [UInt8]?
    index.points.forEachRun { run in
      for ordinal in run where found == nil && !Interruption.poll(200) {
        for (name, _) in PropertyReader.Members(of: index.record(at: ordinal).properties) {
          guard name.count > GroupName.maximumWhole else { continue }
          let bytes = JSONScanner.unescape(name)
          if group.isOf(property: bytes) { found = bytes }
        }
      }
    }
    return found
  }

  /// The values that the markers of a method go by.
  func markers(_ request: MethodRequest) -> MarkerColumns {
    guard case .collision(let markers) = request.method else { return MarkerColumns() }
    return MarkerColumns(
      priorities: markers.priorityBy.map { column(of: $0) },
      clusterKeys: markers.clusterBy.map(keys))
  }
}

extension FilterExpression {
  /// The property that stands for a feature's id in filters, unless features have it.
  static let id = Array("id".utf8)

  /// Whether its meaning depends on whether any feature has a property `id`, so that a write may change its
  /// result for features elsewhere.
  var dependsOnOthers: Bool { names(FilterExpression.id) }
}

extension FilterExpression? {
  /// The filter for those of some features that pass.
  func narrowed(to ids: [FeatureID]?) -> FilterExpression? {
    guard let ids else { return self }
    let isOne = FilterExpression.isOne(of: ids)
    return map { .and([$0, isOne]) } ?? isOne
  }
}
