/// A condition on strings that takes some time to tell.
enum StringCondition: Sendable {
  case comparison(FilterExpression.Comparison, [UInt8])
  case like(LikePattern, isNegated: Bool)
  /// One of several entries, or none of them: their codes in ascending order.
  case entries([PropertyColumn.Code], isNegated: Bool)

  func holds(_ code: PropertyColumn.Code, _ text: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .comparison(let comparison, let other):
      comparison.holds(other.withUnsafeBytes { ByteOrder.compare(text, $0) })
    case .like(let pattern, let isNegated): pattern.matches(text) != isNegated
    case .entries(let codes, let isNegated): StringCondition.contains(codes, code) != isNegated
    }
  }

  private static func contains(
    _ codes: [PropertyColumn.Code], _ code: PropertyColumn.Code
  ) -> Bool {
    var (low, high) = (0, codes.count)
    while low < high {
      let middle = (low + high) / 2
      if codes[middle] < code { low = middle + 1 } else { high = middle }
    }
    return low < codes.count && codes[low] == code
  }
}
