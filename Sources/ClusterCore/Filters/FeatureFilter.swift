import Threading

/// A filter of a collection. It is bound to columns when first needed, which is never if the scope
/// of the passing features is cached.
public final class FeatureFilter: Sendable {
  /// In normal form.
  let expression: FilterExpression
  private let columns: @Sendable ([UInt8]) -> PropertyColumn
  private let bound = Locked<BoundFilter?>(nil)

  /// Creates a filter of the collection whose columns `columns` returns.
  public init(
    _ expression: FilterExpression, columns: @escaping @Sendable ([UInt8]) -> PropertyColumn
  ) {
    self.expression = expression.normalised
    self.columns = columns
  }

  /// Returns whether the feature with an ordinal passes.
  public func passes(_ ordinal: Int) -> Bool { bind().passes(ordinal) }

  func bind() -> BoundFilter {
    bound.withLock { bound in
      let filter = bound ?? BoundFilter(expression, columns: columns)
      bound = filter
      return filter
    }
  }
}
