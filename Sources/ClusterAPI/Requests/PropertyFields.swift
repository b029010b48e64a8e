import ClusterCore
import GeoFormats

/// What a request asks of features' properties.
struct PropertyFields {
  /// An element of `aggregate`.
  struct Aggregate {
    var name: String
    var operation: Statistics.Operation
    var property: [UInt8]
  }

  var filter: FilterExpression?
  var groupBy: [UInt8]?
  var countBy: [UInt8]?
  var weightBy: [UInt8]?
  /// Nil where they aren't asked for.
  var aggregates: [Aggregate]?

  static let statistics = ["countBy", "weightBy", "aggregate"]
  static let names = ["filter", "groupBy"] + statistics

  /// Whether annotations carry statistics.
  var hasStatistics: Bool { countBy != nil || weightBy != nil || aggregates != nil }
}

extension Fields {
  /// The fields of ``PropertyFields``.
  func propertyFields() throws -> PropertyFields {
    var properties = PropertyFields()
    properties.filter = try filter()
    properties.groupBy = try property("groupBy")
    properties.countBy = try property("countBy")
    properties.weightBy = try property("weightBy")
    properties.aggregates = try aggregates()
    return properties
  }

  /// The name of a property, in UTF-8.
  func property(_ name: String) throws(Problem) -> [UInt8]? {
    try string(name).map { Array($0.utf8) }
  }

  /// The filter.
  func filter() throws(Problem) -> FilterExpression? {
    guard let text = try string("filter") else { return nil }
    do {
      return try CQL2.parse(text)
    } catch {
      throw problem("filter", status: error.status, "\(error)")
    }
  }

  private func aggregates() throws -> [PropertyFields.Aggregate]? {
    try withJSON("aggregate") { json in
      let members = try members(of: json, at: "aggregate")
      guard members.count <= Statistics.maximumAggregates else {
        throw problem(
          "aggregate", status: 422,
          "aggregate has \(members.count) names, more than \(Statistics.maximumAggregates)")
      }
      return try members.map { try aggregate($0.name, $0.value, at: $0.pointer) }
    }
  }

  private func aggregate(
    _ name: String, _ value: JSONValue, at pointer: String
  ) throws(Problem) -> PropertyFields.Aggregate {
    let parts = value.elements.map { $0.string }
    guard value.kind == .array, parts.count == 2, let text = parts[0], let property = parts[1]
    else {
      throw problem(pointer, "an aggregate is [op, property]: two strings")
    }
    guard let operation = Statistics.Operation(rawValue: text) else {
      let names = Statistics.Operation.allCases.map(\.rawValue).joined(separator: ", ")
      throw problem("\(pointer)/0", "the op is none of \(names)")
    }
    return PropertyFields.Aggregate(
      name: name, operation: operation, property: Array(property.utf8))
  }
}

/// The same, with the values of a collection.
struct BoundProperties {
  var filter: FeatureFilter?
  var grouping: Grouping?
  var statistics = Statistics()
  private let hasStatistics: Bool

  /// What annotations carry of them; nil for nothing.
  var annotationStatistics: Statistics? { hasStatistics ? statistics : nil }

  /// Looks the values up, which are read from the features on first use.
  init(_ fields: PropertyFields, in collection: IndexedCollection) {
    filter = fields.filter.map { API.filter($0, of: collection) }
    grouping = fields.groupBy.map { Grouping(property: $0, keys: API.keys($0, of: collection)) }
    statistics.countBy = fields.countBy.map { API.keys($0, of: collection) }
    statistics.weights = fields.weightBy.map { API.column($0, of: collection) }
    statistics.aggregates = fields.aggregates?.map {
      Statistics.Aggregate(
        name: Array($0.name.utf8), operation: $0.operation,
        column: API.column($0.property, of: collection))
    }
    hasStatistics = fields.hasStatistics
  }
}

extension API {
  /// A filter of a collection.
  static func filter(_ expression: FilterExpression, of collection: IndexedCollection)
    -> FeatureFilter
  {
    FeatureFilter(expression) { column($0, of: collection) }
  }

  /// The values of a property.
  static func column(_ name: [UInt8], of collection: IndexedCollection) -> PropertyColumn {
    collection.column(named: name, decoder: JSONPropertyDecoder())
  }

  /// The values of a property as keys.
  static func keys(_ name: [UInt8], of collection: IndexedCollection) -> KeyColumn {
    collection.keyColumn(named: name, decoder: JSONPropertyDecoder())
  }
}

extension API {
  /// The values of the property that a group is of; nil where no feature has it.
  static func keys(
    _ group: GroupName, of collection: IndexedCollection
  ) -> (property: [UInt8], keys: KeyColumn)? {
    let name = group.wholeProperty ?? longProperty(of: group, in: collection)
    return name.map { ($0, keys($0, of: collection)) }
  }

  /// The property that a hash stands for: it takes a look at every feature to find it.
  private static func longProperty(of group: GroupName, in collection: IndexedCollection)
    -> [UInt8]?
  {
    var found: [UInt8]?
    collection.index.points.forEachRun { run in
      for place in run where found == nil {
        for (name, _) in PropertyReader.members(of: collection.index.record(at: place).properties) {
          guard name.count > GroupName.maximumWhole else { continue }
          let bytes = PropertyReader.unescape(name)
          if group.isOf(property: bytes) { found = bytes }
        }
      }
    }
    return found
  }
}

extension CQL2Error {
  /// Text that doesn't parse is malformed; text that is too much is well-formed but out of range.
  fileprivate var status: Int { if case .syntax = self { 400 } else { 422 } }
}
