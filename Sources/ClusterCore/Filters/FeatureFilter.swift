import Threading

/// A filter of a collection. It is bound to columns when first needed, which is never if the scope
/// of the passing features is cached.
public final class FeatureFilter: Sendable {
  /// In normal form.
  let expression: FilterExpression
  /// The shapes in which all passing features are.
  let region: ShapesRegion
  /// The only features that can pass, and the other conditions on them; nil if others can pass,
  /// too.
  private let listed: (ids: Set<FeatureID>, rest: FeatureFilter?)?
  private let index: FeatureIndex?
  private let columns: @Sendable (ColumnName) -> PropertyColumn
  private let bound = Locked<BoundFilter?>(nil)

  /// Creates a filter of the collection whose columns `columns` returns.
  ///
  /// - Parameter index: the collection's index, which only shapes need.
  public convenience init(
    _ expression: FilterExpression, of index: FeatureIndex? = nil,
    columns: @escaping @Sendable (ColumnName) -> PropertyColumn
  ) {
    self.init(normal: expression.normalised, of: index, columns: columns)
  }

  /// Creates a filter of an expression in normal form.
  private init(
    normal expression: FilterExpression, of index: FeatureIndex?,
    columns: @escaping @Sendable (ColumnName) -> PropertyColumn
  ) {
    (self.expression, region) = (expression, expression.region)
    (self.index, self.columns) = (index, columns)
    listed =
      index == nil
      ? nil
      : expression.ids.map { ids in
        let rest = expression.withoutIDs.map {
          FeatureFilter(normal: $0, of: index, columns: columns)
        }
        return (ids, rest)
      }
  }

  /// The ordinals of the features that pass, in ascending order, if their ids are known; nil if all features have to
  /// be looked at. O(k log n) for k ids.
  func listedOrdinals(in index: FeatureIndex) -> [Int]? {
    guard let listed else { return nil }
    let ordinals = listed.ids.compactMap { index.ordinal(of: $0) }.sorted()
    guard let rest = listed.rest else { return ordinals }
    return ordinals.filter { !Interruption.poll(500) && rest.passes($0) }
  }

  /// The filter for features in the region; nil if all of them pass.
  func rest() -> FeatureFilter? {
    guard let rest = expression.withoutRegion else { return nil }
    return FeatureFilter(normal: rest, of: index, columns: columns)
  }

  /// Returns whether the feature with an ordinal passes.
  public func passes(_ ordinal: Int) -> Bool {
    guard let listed, let index else { return bind().passes(ordinal) }
    return listed.ids.contains(index.record(at: ordinal).id)
      && listed.rest?.passes(ordinal) ?? true
  }

  func bind() -> BoundFilter {
    bound.withLock { bound in
      let filter = bound ?? BoundFilter(normal: expression, of: index, columns: columns)
      bound = filter
      return filter
    }
  }
}

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
