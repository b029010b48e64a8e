import Threading

/// A filter of a collection: the ids or the shapes that it asks for, and its other conditions. These are bound to columns
/// when first needed, which is never if what passes is remembered. The ways in which it finds features are those of a
/// ``FilterPlan``.
public final class FeatureFilter: Sendable {
  /// In normal form.
  let expression: FilterExpression
  /// The only features that can pass; nil if others can, too.
  let ids: Set<FeatureID>?
  /// The shapes in which all passing features are; everywhere if their ids are known.
  let shapes: ShapesRegion
  /// The other conditions, on features with these ids or in these shapes; nil if there are none.
  let rest: FilterExpression?
  let index: FeatureIndex
  private let columns: @Sendable (ColumnName) -> PropertyColumn
  private let bound = Locked<BoundFilter?>(nil)

  /// Creates a filter of the collection that has an index and whose columns `columns` returns.
  public init(
    _ expression: FilterExpression, of index: FeatureIndex,
    columns: @escaping @Sendable (ColumnName) -> PropertyColumn
  ) {
    let expression = expression.normalised
    (self.expression, self.index, self.columns) = (expression, index, columns)
    ids = expression.ids
    shapes = ids == nil ? expression.region : ShapesRegion(elements: [])
    rest = ids == nil ? expression.withoutRegion : expression.withoutIDs
  }

  /// The other conditions, bound to columns; nil if there are none.
  func bind() -> BoundFilter? {
    guard let rest else { return nil }
    return bound.withLock { bound in
      let filter = bound ?? BoundFilter(normal: rest, of: index, columns: columns)
      bound = filter
      return filter
    }
  }

  /// Returns whether the feature with an ordinal passes.
  ///
  /// - Complexity: O(conditions, and corners of shapes) at worst.
  public func passes(_ ordinal: Int) -> Bool {
    if let ids, !ids.contains(index.record(at: ordinal).id) { return false }
    return (shapes.isEmpty || shapes.contains(index.coordinate(at: ordinal)))
      && bind()?.passes(ordinal) ?? true
  }

  /// Calls `body` with the ordinals of the features in a region that pass, or of all that do if their ids are known, in
  /// ascending order.
  func forEachPassing(in region: AnyRegion, _ body: (Int) -> Void) {
    let bound = bind()
    if let ids {
      for ordinal in ids.compactMap({ index.ordinal(of: $0) }).sorted() {
        if !Cancellation.poll(500), bound?.passes(ordinal) ?? true { body(ordinal) }
      }
      return
    }
    index.points.forEachRun(in: shapes.narrowing(region)) { run in
      if let bound { bound.forEachPassing(in: run, body) } else { run.forEach(body) }
      return true
    }
  }
}

extension FilterExpression {
  /// The part of the world in which the features are for which a normalised expression is true, as far as the
  /// shapes that all of them must be in or out of tell.
  var region: ShapesRegion { ShapesRegion(elements: conjuncts.compactMap(\.element)) }

  /// The other conditions on a feature in the region of a normalised expression; nil if there are none.
  var withoutRegion: FilterExpression? { joining { $0.element == nil && $0 != .literal(true) } }

  /// The conditions that must all be true, as far as they are such; nil if none is.
  func joining(_ isSuch: (FilterExpression) -> Bool) -> FilterExpression? {
    let parts = conjuncts.filter(isSuch)
    return parts.isEmpty ? nil : parts.count == 1 ? parts[0] : .and(parts)
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
