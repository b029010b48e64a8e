/// How two intervals of time lie to each other: CQL2's temporal functions. They are defined by comparisons of
/// the ends (OGC 21-065r2, table 7).
public enum TimeRelation: String, Hashable, Sendable, CaseIterable {
  case after, before, contains, disjoint, during, equals, finishedBy, finishes, intersects, meets
  case metBy, overlappedBy, overlaps, startedBy, starts

  /// The relation of the second interval to the first.
  var inverse: TimeRelation {
    switch self {
    case .after: .before
    case .before: .after
    case .contains: .during
    case .during: .contains
    case .finishedBy: .finishes
    case .finishes: .finishedBy
    case .meets: .metBy
    case .metBy: .meets
    case .overlappedBy: .overlaps
    case .overlaps: .overlappedBy
    case .startedBy: .starts
    case .starts: .startedBy
    case .disjoint, .equals, .intersects: self
    }
  }

  /// Returns whether the relation holds for intervals from `a` to `b` and from `c` to `d`.
  func holds(_ a: TimeExtent, _ b: TimeExtent, _ c: TimeExtent, _ d: TimeExtent) -> Bool {
    switch self {
    case .after: d.isBefore(a)
    case .before: b.isBefore(c)
    case .contains: a.isBefore(c) && d.isBefore(b)
    case .disjoint: b.isBefore(c) || d.isBefore(a)
    case .during: c.isBefore(a) && b.isBefore(d)
    case .equals: a.isSame(c) && b.isSame(d)
    case .finishedBy: a.isBefore(c) && b.isSame(d)
    case .finishes: c.isBefore(a) && b.isSame(d)
    case .intersects: !b.isBefore(c) && !d.isBefore(a)
    case .meets: b.isSame(c)
    case .metBy: a.isSame(d)
    case .overlappedBy: c.isBefore(a) && a.isBefore(d) && d.isBefore(b)
    case .overlaps: a.isBefore(c) && c.isBefore(b) && b.isBefore(d)
    case .startedBy: a.isSame(c) && d.isBefore(b)
    case .starts: a.isSame(c) && b.isBefore(d)
    }
  }
}
