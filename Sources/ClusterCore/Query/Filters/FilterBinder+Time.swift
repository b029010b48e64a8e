extension FilterBinder {
  /// The term of a comparison of a property with a time.
  func timed(_ left: Operand, _ comparison: Comparison, _ time: TimeExtent) -> any FilterTerm {
    guard case .property(let name) = left else {
      preconditionFailure("the left operand of a normalised condition is a property")
    }
    switch comparison {
    case .less, .greaterOrEqual:
      let later = TimeExtent(first: time.first, last: .infinity)
      return window(name, later, isNegated: comparison == .less)
    case .greater, .lessOrEqual:
      let earlier = TimeExtent(first: -.infinity, last: time.last)
      return window(name, earlier, isNegated: comparison == .greater)
    case .equal, .notEqual:
      let property = TimeSpan(.property(name))
      return span(
        .equals, property, TimeSpan(.time(time)), isNegated: comparison == .notEqual)
    }
  }

  /// The term of a temporal function, of which the left operand has properties.
  func temporal(
    _ relation: TimeRelation, _ a: TimeSpan, _ b: TimeSpan, isNegated: Bool
  ) -> any FilterTerm {
    guard a.start == a.end, let name = a.start.property, let (start, end) = b.times else {
      return span(relation, a, b, isNegated: isNegated)
    }
    switch relation {
    case .before: return timed(.property(name), isNegated ? .greaterOrEqual : .less, start)
    case .after: return timed(.property(name), isNegated ? .lessOrEqual : .greater, end)
    case .intersects, .disjoint:
      return window(
        name, TimeExtent(first: start.first, last: end.last),
        isNegated: isNegated != (relation == .disjoint))
    default: return span(relation, a, b, isNegated: isNegated)
    }
  }

  /// The term of whether the time in a property overlaps a span.
  func window(
    _ property: [UInt8], _ span: TimeExtent, takesMissing: Bool = false, isNegated: Bool
  ) -> any FilterTerm {
    let times = times(of: property)
    guard times.times.hasNumbers else { return ConstantTerm(value: takesMissing && !isNegated) }
    return WindowTerm(
      times: times, window: span, takesMissing: takesMissing, isNegated: isNegated)
  }

  private func span(
    _ relation: TimeRelation, _ a: TimeSpan, _ b: TimeSpan, isNegated: Bool
  ) -> any FilterTerm {
    TimeTerm(
      relation: relation, left: (bound(a.start), bound(a.end)),
      right: (bound(b.start), bound(b.end)), isNegated: isNegated)
  }

  private func bound(_ end: TimeSpan.End) -> TimeTerm.End {
    switch end {
    case .time(let time): .time(time)
    case .property(let name): .columns(times(of: name))
    }
  }

  private func times(of property: [UInt8]) -> TimeColumns {
    TimeColumns(
      times: column(ColumnName(property, .times)), days: column(ColumnName(property, .days)))
  }

  /// The term of whether a feature is in a shape.
  func shape(_ shape: Shape, isNegated: Bool) -> any FilterTerm {
    let element = ShapesRegion.Element(shape: shape, isExcluded: isNegated)
    return ShapeTerm(index: index, region: ShapesRegion(elements: [element]))
  }
}
