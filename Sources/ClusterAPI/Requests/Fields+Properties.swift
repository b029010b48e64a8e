import ClusterCore
import Collections
import FeatureStore
import GeoFormats
import Texts
import Threading

/// Properties as parameters of a query: `country=DE`.
extension Fields {
  /// A filter that also asks for the properties that the query names. The value of one is equal to a parameter
  /// as a string, and as the number or boolean that it may be written as.
  func narrowed(_ filter: FilterExpression?) throws(Problem) -> FilterExpression? {
    guard !properties.isEmpty else { return filter }
    var parts = filter.map { [$0] } ?? []
    for name in properties {
      let value = try string(name) ?? ""
      let values: [FilterExpression.Operand?] = [
        .string(Array(value.utf8)), Fields.finiteNumber(value).map { .number($0) },
        Fields.boolean(value).map { .bool($0) },
      ]
      let choices = values.compactMap { value in
        value.map { FilterExpression.comparison(.property(Array(name.utf8)), .equal, $0) }
      }
      parts.append(choices.count == 1 ? choices[0] : .or(choices))
    }
    let names = Set(parts.flatMap(\.propertyNames))
    guard names.count <= FilterExpression.maximumProperties else {
      throw problem(
        properties[0], status: 422,
        "filter and parameters name \(names.count) properties, more than "
          + "\(FilterExpression.maximumProperties)")
    }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  /// The finite number that a text is, as JSON writes it.
  private static func finiteNumber(_ text: String) -> Double? {
    guard text.utf8.allSatisfy({ $0.isDigit || "+-.eE".utf8.contains($0) }),
      text.utf8.first.map({ $0.isDigit || $0 == UInt8(ascii: "-") }) == true,
      text.utf8.last?.isDigit == true, let number = Double(text)
    else { return nil }
    return number.isFinite ? number : nil
  }

  private static func boolean(_ text: String) -> Bool? {
    text.isSame(as: "true") ? true : text.isSame(as: "false") ? false : nil
  }
}

extension Fields {
  /// A property that a query asks for.
  struct AskedProperty: Sendable {
    let name: String
    /// Whether its value can't be a number, or a boolean.
    let isNoNumber, isNoBoolean: Bool
  }

  /// The properties that the query asks for.
  func askedProperties() throws(Problem) -> [AskedProperty] {
    var asked: [AskedProperty] = []
    for name in properties {
      let value = try string(name) ?? ""
      asked.append(
        AskedProperty(
          name: name, isNoNumber: Fields.finiteNumber(value) == nil,
          isNoBoolean: Fields.boolean(value) == nil))
    }
    return asked
  }
}

extension IndexedCollection {
  /// Refuses names of a query that are no fields if no feature has such a property either, and values that are
  /// not of the one type that all of its values have.
  func check(properties asked: [Fields.AskedProperty]) throws {
    for one in asked {
      let name = Array(one.name.utf8)
      if name == FilterExpression.id, !hasIDProperty { continue }
      let column = column(of: name)
      let field = String(one.name.shortened(to: 100))
      // After a cancellation that isn't known.
      guard column.hasValues || Cancellation.isOver else {
        throw Problem(
          400, field: field, inBody: false,
          "the name is unknown here: no feature has a property \(field)")
      }
      if one.isNoNumber, column.hasNumbersOnly {
        throw Problem(400, field: field, inBody: false, "\(field) is a number in all features")
      }
      if one.isNoBoolean, column.hasBooleansOnly {
        throw Problem(400, field: field, inBody: false, "\(field) is true or false in all features")
      }
    }
  }
}

extension Fields {
  /// The properties with the times of features: one, or two for start and end.
  func temporalProperties(_ name: String) throws -> TemporalProperties? {
    try withJSON(name) { json in
      let fields = try object(json, at: name, allowed: ["property", "start", "end"])
      for (member, value) in json.members where value.kind == .null {
        throw fields.problem(
          String(decoding: member, as: UTF8.self), "the name of a property is text")
      }
      func property(_ member: String) throws(Problem) -> String? {
        try fields.property(member).map { String(decoding: $0, as: UTF8.self) }
      }
      switch (try property("property"), try property("start"), try property("end")) {
      case (let property?, nil, nil): return .instant(property)
      case (nil, let start?, let end?): return .span(start: start, end: end)
      default:
        throw problem(name, "\(name) is {\"property\": name} or {\"start\": name, \"end\": name}")
      }
    }
  }
}
