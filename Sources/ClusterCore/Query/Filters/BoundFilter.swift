import Threading

/// A filter that is bound to the columns of one index and evaluates features by ordinal.
///
/// It evaluates 64 features at a time, and later parts of an AND or OR only for undecided features.
public struct BoundFilter: Sendable {
  private let root: any FilterTerm
  /// The memory it takes without the columns, in bytes.
  public let byteCount: Int

  /// Binds an expression to the columns of an index.
  ///
  /// - Parameters:
  ///   - index: the index, whose places shapes are compared with.
  ///   - columns: returns a column. Called once for each.
  public init(
    _ expression: FilterExpression, of index: FeatureIndex,
    columns: (_ name: ColumnName) throws -> PropertyColumn
  ) rethrows {
    try self.init(normal: expression.normalised, of: index, columns: columns)
  }

  /// Binds an expression in normal form.
  init(
    normal normalised: FilterExpression, of index: FeatureIndex,
    columns: (_ name: ColumnName) throws -> PropertyColumn
  ) rethrows {
    var binder = FilterBinder(index: index)
    for name in normalised.columnNames { binder.columns[name] = try columns(name) }
    root = binder.term(normalised)
    byteCount = binder.memoryTaken
  }

  /// Returns which of `count` (1…64) features of a run pass. Bit i is for `ordinal + i`.
  public func mask(from ordinal: Int, count: Int) -> UInt64 {
    root.mask(from: ordinal, among: .max >> UInt64(64 - count))
  }

  /// Returns whether the feature with an ordinal passes.
  public func passes(_ ordinal: Int) -> Bool { root.mask(from: ordinal, among: 1) != 0 }

  /// Returns whether all, none or some of the features of a block pass. `.partial` is always a correct answer.
  func coverage(ofBlock number: Int) -> Coverage { root.coverage(ofBlock: number) }

  /// Writes a bit for each of the `count` features of a block that passes, and returns the number of them.
  func write(maskOfBlock number: Int, count: Int, to words: UnsafeMutablePointer<UInt64>) -> Int {
    let wordCount = (count + 63) / 64
    for word in 0..<wordCount { words[word] = .max }
    if count % 64 != 0 { words[wordCount - 1] = .max >> UInt64(64 - count % 64) }
    root.narrow(words, from: number << PointIndex.blockBits, count: count)
    return (0..<wordCount).reduce(0) { $0 + words[$1].nonzeroBitCount }
  }

  /// Calls `body` with the ordinals of the features of a run that pass, in order.
  ///
  /// - Complexity: O(conditions) for each feature of the range.
  @inlinable
  public func forEachPassing(in range: Range<Int>, _ body: (Int) throws -> Void) rethrows {
    var ordinal = range.lowerBound
    while ordinal < range.upperBound {
      // Only lets others work, as callers may rely on all that pass.
      Cancellation.poll(64 * 10)
      var rest = mask(from: ordinal, count: Swift.min(64, range.upperBound - ordinal))
      while rest != 0 {
        try body(ordinal + rest.trailingZeroBitCount)
        rest &= rest - 1
      }
      ordinal += 64
    }
  }
}
