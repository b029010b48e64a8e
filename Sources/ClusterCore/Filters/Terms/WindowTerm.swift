import CVectors

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
    let count = candidates.extent
    let days = times.days.doubles[around: ordinal].map { $0 + ordinal }
    if days == nil, !takesMissing, !isNegated {
      return candidates & cvectors_within(first, count, from, through)
    }
    let outside = candidates & cvectors_apart(first, days ?? first, count, from, through)
    if takesMissing { return isNegated ? outside : candidates & ~outside }
    if isNegated { return outside }
    return candidates & ~outside & cvectors_known(first, count)
  }

  func coverage(ofBlock number: Int) -> Coverage {
    let (zone, days) = (times.times.zones[number], times.days.zones[number])
    if zone.isEmpty { return takesMissing && !isNegated ? .inside : .outside }
    // Spans begin in the column of times, and end there or, where they are days, in the other.
    let isApart =
      zone.least > window.last || max(zone.greatest, days.greatest) < window.first
    guard isApart || (zone.least >= window.first && zone.greatest <= window.last) else {
      return .partial
    }
    // This holds for features with a time; those without may differ.
    let holds = isApart == isNegated
    return zone.isNumeric || holds == (takesMissing && !isNegated)
      ? holds ? .inside : .outside : .partial
  }
}
