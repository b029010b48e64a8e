import CVectors
import Threading

/// True if a relation of two intervals of time is, or with `isNegated` if it isn't. Unknown where an end is.
struct TimeTerm: SlowTerm {
  enum End: Sendable {
    case time(TimeExtent)
    case columns(TimeColumns)

    @inline(__always)
    func time(at ordinal: Int) -> TimeExtent {
      switch self {
      case .time(let time): time
      case .columns(let columns): columns.time(at: ordinal)
      }
    }
  }

  let relation: TimeRelation
  let left: (start: End, end: End)
  let right: (start: End, end: End)
  let isNegated: Bool

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    Cancellation.poll(candidates.nonzeroBitCount * 30)
    return candidates.filtered { bit in
      let (a, b) = (left.start.time(at: ordinal + bit), left.end.time(at: ordinal + bit))
      let (c, d) = (right.start.time(at: ordinal + bit), right.end.time(at: ordinal + bit))
      if a.first.isNaN || b.first.isNaN || c.first.isNaN || d.first.isNaN { return false }
      return relation.holds(a, b, c, d) != isNegated
    }
  }
}

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
    let (zone, days) = (
      times.times.zones.pointer[number], times.days.zones.pointer[number]
    )
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

/// The times in a property: those of dates in both columns.
struct TimeColumns: Sendable {
  /// The first milliseconds, NaN where there is no time.
  let times: PropertyColumn
  /// The last milliseconds of dates.
  let days: PropertyColumn

  /// Returns the time of the feature with an ordinal.
  @inline(__always)
  func time(at ordinal: Int) -> TimeExtent {
    let (first, last) = (times.number(at: ordinal), days.number(at: ordinal))
    return TimeExtent(first: first, last: last.isNaN ? first : last)
  }
}
