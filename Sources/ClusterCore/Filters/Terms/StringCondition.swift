/// A condition on strings that is expensive to evaluate.
enum StringCondition: Sendable {
  case comparison(FilterExpression.Comparison, [UInt8])
  case like(LikePattern, isNegated: Bool)
  /// One of several dictionary entries, or none of them, by their codes in ascending order.
  case entries([PropertyColumn.Code], isNegated: Bool)

  func holds(_ code: PropertyColumn.Code, _ text: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .comparison(let comparison, let other):
      comparison.holds(other.withUnsafeBytes { ByteOrder.compare(text, $0) })
    case .like(let pattern, let isNegated): pattern.matches(text) != isNegated
    case .entries(let codes, let isNegated): (codes.sortedIndex(of: code) != nil) != isNegated
    }
  }
}
