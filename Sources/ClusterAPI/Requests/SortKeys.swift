import ClusterCore
import Collections
import GeoFormats
import Threading

/// The keys of `sortby`: names of properties, each with a direction.
struct SortKeys: Sendable {
  /// The names in UTF-8, the most significant first.
  let keys: [(name: [UInt8], isDescending: Bool)]

  /// Reads the field; nil if it isn't given.
  init?(_ fields: Fields) throws {
    guard let names = try fields.strings("sortby")?.list else { return nil }
    guard names.count <= PropertyOrder.maximumKeys else {
      throw fields.problem(
        "sortby", status: 422,
        "sortby has \(names.count) properties, more than \(PropertyOrder.maximumKeys)")
    }
    keys = try names.map { name in
      // A plus in a query stands for a space, unless it is escaped.
      let direction = name.utf8.first.flatMap { "+- ".utf8.contains($0) ? $0 : nil }
      let property = direction == nil ? name.utf8[...] : name.utf8.dropFirst()
      guard !property.isEmpty else {
        throw fields.problem(
          "sortby", "sortby is a list of properties, each with + or - before it, or nothing")
      }
      try fields.check(property: property, at: "sortby")
      return (Array(property), direction == UInt8(ascii: "-"))
    }
  }

  /// Options that need the columns of the keys.
  var options: PropertyOptions {
    PropertyOptions(
      aggregates: keys.map { .init(name: [], operation: .sum, property: $0.name) })
  }

  /// The order of a collection's features.
  ///
  /// - Throws: ``Problem`` if memory is short.
  func order(in collection: IndexedCollection) throws -> PropertyOrder {
    try collection.checkMemory(for: options)
    return PropertyOrder(
      keys.map { PropertyOrder.Key(collection.column(of: $0.name), isDescending: $0.isDescending) })
  }
}
