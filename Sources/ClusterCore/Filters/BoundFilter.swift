/// A filter that is ready to be asked about the features of one index, by place.
///
/// It looks at columns, 64 features at a time, and at later parts of an AND or OR only for the
/// features for which they matter.
public struct BoundFilter: Sendable {
  private let root: any FilterTerm
  /// The memory it takes beside the columns, in bytes.
  public let byteCount: Int

  /// Binds an expression to the columns of an index.
  ///
  /// - Parameter columns: the column of a property; asked once for each.
  public init(
    _ expression: FilterExpression, columns: (_ name: [UInt8]) throws -> PropertyColumn
  ) rethrows {
    let normalised = expression.normalised
    var binder = FilterBinder()
    for name in normalised.propertyNames { binder.columns[name] = try columns(name) }
    root = binder.term(normalised)
    byteCount = binder.memoryTaken
  }

  /// Which of `count` (1…64) features of a run pass: bit i is that of `place + i`.
  public func mask(from ordinal: Int, count: Int) -> UInt64 {
    root.mask(from: ordinal, among: BoundFilter.firstBits(count))
  }

  /// Whether the feature at a place passes.
  public func passes(_ ordinal: Int) -> Bool { root.mask(from: ordinal, among: 1) != 0 }

  /// Calls `body` with each place in a run whose feature passes, in order.
  @inlinable
  public func forEachPassing(in range: Range<Int>, _ body: (Int) throws -> Void) rethrows {
    var ordinal = range.lowerBound
    while ordinal < range.upperBound {
      var rest = mask(from: ordinal, count: Swift.min(64, range.upperBound - ordinal))
      while rest != 0 {
        try body(ordinal + rest.trailingZeroBitCount)
        rest &= rest - 1
      }
      ordinal += 64
    }
  }

  private static func firstBits(_ count: Int) -> UInt64 { .max >> UInt64(64 - count) }
}
