extension FilterExpression {
  /// The part of the world in which the features are for which a normalised expression is true, as far as the
  /// shapes that all of them must be in or out of tell.
  var region: ShapesRegion { ShapesRegion(elements: conjuncts.compactMap(\.element)) }

  /// The other conditions on a feature in the region of a normalised expression; nil if there are none.
  var withoutRegion: FilterExpression? {
    let rest = conjuncts.filter { $0.element == nil && $0 != .literal(true) }
    return rest.isEmpty ? nil : rest.count == 1 ? rest[0] : .and(rest)
  }

  /// The conditions that must all be true.
  var conjuncts: [FilterExpression] {
    if case .and(let parts) = self { parts.flatMap(\.conjuncts) } else { [self] }
  }

  private var element: ShapesRegion.Element? {
    switch self {
    case .shape(let shape): ShapesRegion.Element(shape: shape, isExcluded: false)
    case .not(.shape(let shape)): ShapesRegion.Element(shape: shape, isExcluded: true)
    default: nil
    }
  }
}
