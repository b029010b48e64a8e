internal import Texts

/// The name of a cell or of a location in a cell, as part of an annotation's id.
public struct CellName: Hashable, Sendable {
  /// The grid.
  public var grid: CellGrid
  /// The grid's cell size in points, with which a drill-down continues.
  public var cellSize: Double
  /// The cell.
  public var cell: CellPosition
  /// The location in the cell; nil for the whole cell.
  public var location: Location?
  /// The group; nil if features aren't grouped.
  public var group: GroupName?

  /// The common prefix of all names of a grid: a letter, the grid and its cell size.
  public static func head(_ grid: CellGrid, cellSize: Double) -> String {
    let size = cellSize == cellSize.rounded() ? String(Int(cellSize)) : String(cellSize)
    return "g\(grid.cellsPerWorld)_\(size)_"
  }

  /// The common suffix of all names of a group.
  public static func tail(_ group: GroupName?) -> String { group.map { "~\($0.text)" } ?? "" }

  var text: String {
    var text = "\(CellName.head(grid, cellSize: cellSize))\(cell.column)_\(cell.row)"
    if let location { text += "_\(location.column).\(location.row)" }
    return text + CellName.tail(group)
  }
}

extension CellName {
  /// Parses ``text`` without the leading letter; nil if it is malformed.
  init?(text: Substring) {
    let (place, group) = text.cut(at: UInt8(ascii: "~"))
    let parts = place.parts(separatedBy: UInt8(ascii: "_"))
    guard (4...5).contains(parts.count), let cells = Int(parts[0]),
      let size = Double(parts[1]), (1...2048).contains(size),
      let column = Int(parts[2]), let row = Int(parts[3]),
      // The largest zoom has no more cells of this size.
      cells >= 1, Double(cells) <= 256 * 0x1p30 / size + 1, (0..<cells).contains(column),
      (0..<cells).contains(row)
    else { return nil }
    self.init(
      grid: CellGrid(cellsPerWorld: cells), cellSize: size,
      cell: CellPosition(column: column, row: row))
    if parts.count == 5 {
      let ordinates = parts[4].parts(separatedBy: UInt8(ascii: "."))
      guard ordinates.count == 2, let x = UInt32(ordinates[0]), let y = UInt32(ordinates[1]),
        x < Location.perWorld, y < Location.perWorld
      else { return nil }
      location = Location(column: x, row: y)
    }
    if let group {
      guard let name = GroupName(text: group) else { return nil }
      self.group = name
    }
  }
}
