import ClusterCore
import GeoFormats
import Threading

extension IndexedCollection {
  /// The smallest collection whose columns take so much memory that it is asked for before.
  private static let large = 200_000

  /// Throws ``ImpossibleRequest/outOfMemory`` unless there is memory for the columns that an answer needs and
  /// that aren't there yet, and for what a filter selects.
  func checkMemory(for options: PropertyOptions) throws(ImpossibleRequest) {
    guard index.count >= IndexedCollection.large else { return }
    let names = options.valueNames + options.keyNames.map { ColumnName($0) }
    if !names.isEmpty { try checkMemory(forColumns: names) }
  }

  /// A filter with the values of the properties that it names.
  func filter(_ expression: FilterExpression) throws(ImpossibleRequest) -> FeatureFilter {
    try checkMemory(for: PropertyOptions(filter: expression))
    return FeatureFilter(expression, of: index, columns: { self.column($0) })
  }

  /// The values of a property, named in UTF-8.
  func column(of property: [UInt8]) -> PropertyColumn {
    column(named: property, decoder: JSONPropertyDecoder())
  }

  /// What a filter asks of a property.
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
