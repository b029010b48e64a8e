public import ClusterCore

/// Filters in CQL2 (OGC 21-065r2), as text and as JSON: comparisons, AND, OR, NOT, IN, BETWEEN, LIKE, IS NULL,
/// CASEI, arithmetic, the temporal functions, and S_INTERSECTS and S_DISJOINT.
public enum CQL2 {
  /// Parses a text.
  public static func parse(_ text: String) throws(CQL2Error) -> FilterExpression {
    try parse(Array(text.utf8))
  }

  /// Parses a text in UTF-8.
  public static func parse(_ text: [UInt8]) throws(CQL2Error) -> FilterExpression {
    guard text.count <= FilterExpression.maximumLength else {
      throw .tooLarge(
        detail: "the filter has \(text.count) bytes; at most "
          + "\(FilterExpression.maximumLength) are accepted")
    }
    guard text.withUnsafeBytes({ JSONText.isUTF8($0) }) else {
      throw CQL2Tokenizer(text).failure(at: validLength(of: text), "invalid UTF-8")
    }
    var parser = CQL2Parser(text)
    let filter = try parser.expression()
    try check(filter.normalised)
    return filter
  }

  /// Parses JSON.
  public static func parse(_ json: JSONValue) throws(CQL2Error) -> FilterExpression {
    guard json.text.count <= FilterExpression.maximumLength else {
      throw .tooLarge(
        detail: "the filter has \(json.text.count) bytes; at most "
          + "\(FilterExpression.maximumLength) are accepted")
    }
    var reader = CQL2JSONReader()
    let filter = try reader.condition(json, at: "")
    try check(filter.normalised)
    return filter
  }

  /// Rejects filters that would take too long over many features.
  private static func check(_ filter: FilterExpression) throws(CQL2Error) {
    let parts = [
      (
        "conditions", filter.conditionCount, FilterExpression.maximumConditions,
        "; write many values of one property as a single IN (…)"
      ),
      ("LIKEs", filter.patternCount, FilterExpression.maximumPatterns, ""),
      ("properties", filter.propertyNames.count, FilterExpression.maximumProperties, ""),
    ]
    for (name, count, maximum, remedy) in parts where count > maximum {
      throw .tooLarge(detail: "the filter has \(count) \(name), more than \(maximum)\(remedy)")
    }
  }

  private static func validLength(of text: [UInt8]) -> Int {
    var iterator = text.makeIterator()
    var decoder = UTF8()
    var end = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { end += UTF8.width(scalar) }
    return min(end, text.count)
  }
}
