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
    Interruption.poll(candidates.nonzeroBitCount * 30)
    return candidates.filtered { bit in
      let (a, b) = (left.start.time(at: ordinal + bit), left.end.time(at: ordinal + bit))
      let (c, d) = (right.start.time(at: ordinal + bit), right.end.time(at: ordinal + bit))
      if a.first.isNaN || b.first.isNaN || c.first.isNaN || d.first.isNaN { return false }
      return relation.holds(a, b, c, d) != isNegated
    }
  }
}
