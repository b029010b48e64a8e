/// A cell of a ``CellGrid``.
public struct CellPosition: Hashable, Sendable, BitwiseCopyable {
  /// 0 at 180° W.
  public var column: Int
  /// 0 in the north.
  public var row: Int

  /// Creates a cell position.
  public init(column: Int, row: Int) {
    self.column = column
    self.row = row
  }
}
