import ClusterCore
import Collections
import GeoFormats
import Threading

extension IndexedCollection {
  /// Throws ``ImpossibleRequest/outOfMemory`` unless there is memory for the columns that an answer needs and
  /// that aren't there yet, and for the selection of a filter.
  func checkMemory(for options: PropertyOptions) throws(ImpossibleRequest) {
    try checkMemory(forNeeded: options.valueNames + options.keyNames.map { ColumnName($0) })
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
      for ordinal in run where found == nil && !Cancellation.poll(200) {
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
