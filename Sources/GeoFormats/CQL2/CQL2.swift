public import ClusterCore

/// Filters in CQL2 (OGC 21-065r2), as text and as JSON: comparisons, AND, OR, NOT, IN, BETWEEN, LIKE, IS NULL,
/// CASEI, ACCENTI, arithmetic, the temporal functions, S_INTERSECTS and S_DISJOINT, and
/// S_DWITHIN.
public enum CQL2 {
  /// The normal form of the filter of a text; see ``FilterExpression/normalised``.
  ///
  /// - Parameter isDraft: whether it is in the language of drafts, as GDAL writes it: dates and date-times are texts, true and
  ///   false are 1 and 0, and there is ILIKE.
  /// - Throws: ``CQL2Error`` if the text isn't a filter of CQL2, or is too large.
  public static func normal(
    _ text: String, ofDraft isDraft: Bool = false
  ) throws(CQL2Error) -> FilterExpression {
    try checked(try read(Array(text.utf8), isDraft: isDraft))
  }

  /// The normal form of the filter of a JSON value.
  ///
  /// - Throws: ``CQL2Error`` if the value isn't a filter of CQL2 JSON, or is too large.
  public static func normal(_ json: JSONValue) throws(CQL2Error) -> FilterExpression {
    try checked(try read(json))
  }

  /// A filter as a text in UTF-8 says it, which may take too long over many features.
  static func read(
    _ text: [UInt8], isDraft: Bool = false
  ) throws(CQL2Error) -> FilterExpression {
    try checkLength(text.count)
    guard text.withUnsafeBytes({ JSONText.isUTF8($0) }) else {
      throw CQL2Tokenizer(text).failure(at: validLength(of: text), "invalid UTF-8")
    }
    var parser = CQL2Parser(text, isDraft: isDraft)
    return try parser.expression()
  }

  /// A filter as JSON says it, which may take too long over many features.
  static func read(_ json: JSONValue) throws(CQL2Error) -> FilterExpression {
    try checkLength(json.text.count)
    var reader = CQL2JSONReader()
    return try reader.condition(json, at: "")
  }

  private static func checkLength(_ length: Int) throws(CQL2Error) {
    guard length <= FilterExpression.maximumLength else {
      throw .tooLarge(
        detail:
          "the filter has \(length) bytes; at most \(FilterExpression.maximumLength) are accepted")
    }
  }

  /// The normal form of a filter. Throws if it would take too long over many features.
  private static func checked(
    _ filter: FilterExpression
  ) throws(CQL2Error) -> FilterExpression {
    let filter = filter.normalised
    let names = filter.propertyNames
    let parts = [
      (
        "conditions", filter.conditionCount, FilterExpression.maximumConditions,
        "; write many values of one property as a single IN (…)"
      ),
      ("LIKEs", filter.patternCount, FilterExpression.maximumPatterns, ""),
      ("properties", names.count, FilterExpression.maximumProperties, ""),
      (
        "bytes in the name of a property", names.reduce(0) { max($0, $1.count) },
        FilterExpression.maximumNameLength, ""
      ),
    ]
    for (name, count, maximum, remedy) in parts where count > maximum {
      throw .tooLarge(detail: "the filter has \(count) \(name), more than \(maximum)\(remedy)")
    }
    return filter
  }

  private static func validLength(of text: [UInt8]) -> Int {
    var iterator = text.makeIterator()
    var decoder = UTF8()
    var end = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { end += UTF8.width(scalar) }
    return min(end, text.count)
  }
}
