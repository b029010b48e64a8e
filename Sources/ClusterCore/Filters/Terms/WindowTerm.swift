/// True if the time in a property overlaps a span, or with `isNegated` if it doesn't.
struct WindowTerm: FilterTerm {
  let times: TimeColumns
  let window: TimeExtent
  /// Whether a value that isn't a time counts as one that overlaps the span. Otherwise it is unknown.
  let takesMissing: Bool
  let isNegated: Bool

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    let (from, through) = (window.first, window.last)
    guard let first = times.times.doubles[around: ordinal].map({ $0 + ordinal }) else {
      return takesMissing && !isNegated ? candidates : 0
    }
    // The comparisons are false for NaN.
    let outside: UInt64
    if let days = times.days.doubles[around: ordinal].map({ $0 + ordinal }) {
      outside = candidates.scanned {
        let last = days[$0] == days[$0] ? days[$0] : first[$0]
        return first[$0] > through || last < from
      }
    } else {
      outside = candidates.scanned { first[$0] > through || first[$0] < from }
    }
    if takesMissing { return isNegated ? outside : candidates & ~outside }
    if isNegated { return outside }
    return (candidates & ~outside).scanned { first[$0] == first[$0] }
  }
}
