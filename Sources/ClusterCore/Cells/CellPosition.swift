/// A cell of a ``CellGrid``.
public struct CellPosition: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// The column, counted eastwards from 0 at 180° W.
  public var column: Int
  /// The row, counted southwards from 0 at the northern edge.
  public var row: Int

  /// Creates a cell position.
  public init(column: Int, row: Int) {
    self.column = column
    self.row = row
  }

  /// Orders cells by row, then column.
  @inline(__always)
  public static func < (a: CellPosition, b: CellPosition) -> Bool {
    a.row != b.row ? a.row < b.row : a.column < b.column
  }
}
