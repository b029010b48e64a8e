import ClusterCore
import GeoFormats

/// Properties as parameters of a query: `country=DE`.
extension Fields {
  /// A filter that also asks for the properties that the query names. The value of one is equal to a parameter
  /// as a string, and as the number or boolean that it may be written as.
  func narrowed(_ filter: FilterExpression?) throws(Problem) -> FilterExpression? {
    guard !properties.isEmpty else { return filter }
    var parts = filter.map { [$0] } ?? []
    for name in properties {
      let value = try string(name) ?? ""
      let property = "\"\(name.replacing("\"", with: "\"\""))\""
      var choices = ["\(property) = '\(value.replacing("'", with: "''"))'"]
      if Fields.isNumber(value) { choices.append("\(property) = \(value)") }
      if ["true", "false"].contains(value) { choices.append("\(property) = \(value)") }
      do {
        parts.append(try CQL2.parse(choices.joined(separator: " OR ")))
      } catch {
        throw problem(shown(name), "\(shown(name)) can't be asked for: \(error)")
      }
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

  /// Whether text is a finite number as JSON writes it.
  private static func isNumber(_ text: String) -> Bool {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard text.utf8.allSatisfy({ digits.contains($0) || "+-.eE".utf8.contains($0) }),
      text.utf8.first.map({ digits.contains($0) || $0 == UInt8(ascii: "-") }) == true,
      text.utf8.last.map(digits.contains) == true, let number = Double(text)
    else { return false }
    return number.isFinite
  }
}

extension IndexedCollection {
  /// Refuses names of a query that are no fields if no feature has such a property either.
  func check(properties names: [String]) throws {
    for name in names where !column(of: Array(name.utf8)).isKnown {
      throw Problem.noProperty(Array(name.utf8), field: String(name.prefix(100)))
    }
  }
}

extension Problem {
  /// A name that means nothing, as no feature has such a property.
  static func noProperty(_ name: [UInt8], field: String, status: Int = 400) -> Problem {
    let shown = String(decoding: name, as: UTF8.self).prefix(100)
    return Problem(
      status, field: field, inBody: false,
      "the name is unknown here: no feature has a property \(shown)")
  }
}
