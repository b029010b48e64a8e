import Threading

/// A filter of a collection. It is bound to columns when that is first needed: not at all where the
/// features that pass are remembered.
public final class FeatureFilter: Sendable {
  /// In normal form.
  let expression: FilterExpression
  private let columns: @Sendable ([UInt8]) -> PropertyColumn
  private let bound = Locked<BoundFilter?>(nil)

  /// A filter of the collection whose columns are given.
  public init(
    _ expression: FilterExpression, columns: @escaping @Sendable ([UInt8]) -> PropertyColumn
  ) {
    self.expression = expression.normalised
    self.columns = columns
  }

  /// Whether the feature at a place passes.
  public func passes(_ ordinal: Int) -> Bool { bind().passes(ordinal) }

  func bind() -> BoundFilter {
    bound.withLock { bound in
      if let bound { return bound }
      let fresh = BoundFilter(expression, columns: columns)
      bound = fresh
      return fresh
    }
  }
}
