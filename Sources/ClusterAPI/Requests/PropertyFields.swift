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
  var aggregates: [Aggregate] = []

  static let statistics = ["countBy", "weightBy", "aggregate"]
  static let names = ["filter", "groupBy"] + statistics

  /// The properties whose values are needed.
  var propertyNames: [[UInt8]] {
    [groupBy, countBy, weightBy].compactMap { $0 } + aggregates.map(\.property)
      + (filter?.propertyNames ?? [])
  }

  /// Whether annotations carry statistics.
  var hasStatistics: Bool { countBy != nil || weightBy != nil || !aggregates.isEmpty }
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
      throw problem("filter", status: error.isSyntax ? 400 : 422, "\(error)")
    }
  }

  private func aggregates() throws -> [PropertyFields.Aggregate] {
    let found = try withJSON("aggregate") { json in
      let members = try members(of: json, at: "aggregate")
      guard members.count <= Statistics.maximumAggregates else {
        throw problem(
          "aggregate", status: 422,
          "aggregate has \(members.count) names, more than \(Statistics.maximumAggregates)")
      }
      return try members.map { try aggregate($0.name, $0.value, at: $0.pointer) }
    }
    return found ?? []
  }

  private func aggregate(
    _ name: String, _ value: JSONValue, at pointer: String
  ) throws(Problem) -> PropertyFields.Aggregate {
    let parts = value.elements.map { $0.string }
    guard value.kind == .array, parts.count == 2, let text = parts[0], let property = parts[1] else {
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
  var filter: BoundFilter?
  var grouping: Grouping?
  var statistics = Statistics()
  /// Whether annotations carry statistics.
  let hasStatistics: Bool

  /// Looks the values up, which are read from the features on first use.
  init(_ fields: PropertyFields, in index: FeatureIndex) {
    func column(_ name: [UInt8]) -> PropertyColumn {
      index.column(named: name, decoder: JSONPropertyDecoder())
    }
    func keys(_ name: [UInt8]) -> KeyColumn {
      index.keyColumn(named: name, decoder: JSONPropertyDecoder())
    }
    filter = fields.filter.map { BoundFilter($0, column: column) }
    grouping = fields.groupBy.map { Grouping(property: $0, keys: keys($0)) }
    statistics.countBy = fields.countBy.map(keys)
    statistics.weights = fields.weightBy.map(column)
    statistics.aggregates = fields.aggregates.map {
      Statistics.Aggregate(
        name: Array($0.name.utf8), operation: $0.operation, column: column($0.property))
    }
    hasStatistics = fields.hasStatistics
  }
}
