import ClusterCore
import GeoFormats

/// The conditions, groups and statistics that a request has over features' properties.
struct PropertyOptions: Hashable, Sendable {
  /// An element of `aggregate`.
  struct Aggregate: Hashable, Sendable {
    var name: [UInt8]
    var operation: Statistics.Operation
    var property: [UInt8]
  }

  var filter: FilterExpression?
  /// The span of time that features must overlap, until it is made a part of the filter.
  var datetime: TimeExtent?
  var groupBy: [UInt8]?
  var countBy: [UInt8]?
  var weightBy: [UInt8]?
  /// Nil where they aren't asked for.
  var aggregates: [Aggregate]?

  /// Whether annotations carry statistics.
  var hasStatistics: Bool { countBy != nil || weightBy != nil || aggregates != nil }

  private static let standard = PropertyOptions()

  /// The needs of annotations with some members.
  func needs(for fields: AnnotationFields) -> Needs {
    let standard = PropertyOptions.standard
    guard self != standard else { return [] }
    var (needs, rest) = (Needs(), self)
    needs.tell(
      &rest.filter, standard.filter,
      filter?.dependsOnOthers == true
        ? [.conditions, .notes, .others] : [.conditions, .notes])
    needs.tell(&rest.datetime, standard.datetime, .datetime)
    needs.tell(&rest.groupBy, standard.groupBy, [.groups, .notes])
    let isCounted = !fields.isDisjoint(with: [.counts, .otherCount])
    needs.tell(&rest.countBy, standard.countBy, isCounted ? [.statistics, .notes] : .notes)
    // Clusters are drawn by weights, too.
    needs.tell(&rest.weightBy, standard.weightBy, [.statistics, .notes])
    if fields.contains(.aggregates), let aggregates {
      needs.insert(.statistics)
      if aggregates.contains(where: \.operation.needsValues) { needs.insert(.values) }
    }
    needs.tell(&rest.aggregates, standard.aggregates, .notes)
    if rest != standard { needs.insert(.unknown) }
    return needs
  }

  /// The columns that are needed, and the properties whose values are needed as keys.
  var valueNames: [ColumnName] {
    let others = [weightBy].compactMap(\.self) + (aggregates ?? []).map(\.property)
    return (filter?.neededColumns ?? []) + others.map { ColumnName($0) }
  }
  var keyNames: [[UInt8]] { [groupBy, countBy].compactMap(\.self) }

  /// The approximate size of the parts of variable length, in bytes.
  var byteCount: Int {
    var total = filter?.byteCount ?? 0
    total += (groupBy?.count ?? 0) + (weightBy?.count ?? 0) + (countBy?.count ?? 0)
    for aggregate in aggregates ?? [] {
      total += 96 + aggregate.name.count + aggregate.property.count
    }
    return total
  }
}

extension Fields {
  /// The name of a property, in UTF-8.
  func property(_ name: String) throws(Problem) -> [UInt8]? {
    let text = try string(name).map { Array($0.utf8) }
    if let text { try check(property: text, at: name) }
    return text
  }

  /// Throws if the name of a property, which the value at a pointer holds, is too long.
  func check(property: some Collection<UInt8>, at pointer: String) throws(Problem) {
    guard property.count <= FilterExpression.maximumNameLength else {
      throw problem(
        pointer, status: 422,
        "the name of a property has \(property.count) bytes, more than \(FilterExpression.maximumNameLength)"
      )
    }
  }

  /// The aggregates that are asked for.
  func aggregates(_ name: String) throws -> [PropertyOptions.Aggregate]? {
    try withJSON(name) { json in
      let members = try members(of: json, at: name)
      try checkCount(members.count, "names", of: name, atMost: Statistics.maximumAggregates)
      return try members.map { try aggregate($0.name, $0.value, at: $0.pointer) }
    }
  }

  private func aggregate(
    _ name: String, _ value: JSONValue, at pointer: String
  ) throws(Problem) -> PropertyOptions.Aggregate {
    let parts = value.elements.map { $0.string }
    guard value.kind == .array, parts.count == 2, let text = parts[0], let property = parts[1]
    else {
      throw problem(pointer, "an aggregate is [op, property]: two strings")
    }
    try check(property: property.utf8, at: "\(pointer)/1")
    guard let operation = Statistics.Operation(text) else {
      throw problem("\(pointer)/0", "the op is none of \(Statistics.Operation.names)")
    }
    return PropertyOptions.Aggregate(
      name: Array(name.utf8), operation: operation, property: Array(property.utf8))
  }
}
