import ClusterCore
import Glibc

/// Why the contract refuses a request with 422.
public enum TwinRefusal: Error, Equatable, Sendable {
  /// South above north, a latitude beyond ±90, a negative size.
  case impossibleRect
  /// The zoom level is outside −10…30, or a given one outside 0…24.
  case zoomOutOfRange
  /// More than a million cells.
  case tooManyCells
  /// More annotations, or pins, than the limit.
  case overLimit
}

/// A rect in map points.
public struct TwinRect: Equatable, Sendable {
  /// The west edge.
  public var x: Double
  /// The north edge.
  public var y: Double
  /// The size from west to east.
  public var width: Double
  /// The size from north to south.
  public var height: Double
}

/// The edges of a visible rect in map points, x unwrapped, and its width as it was given.
struct TwinEdges {
  var west: Double
  var east: Double
  var north: Double
  var south: Double
  var width: Double

  init(_ rect: TwinRequest.Rect) throws(TwinRefusal) {
    switch rect {
    case .bbox(let w, let s, let e, let n):
      guard s <= n, s >= -90, n <= 90 else { throw .impossibleRect }
      self.init(west: w, east: w > e ? e + 360 : e, south: s, north: n)
    case .region(let center, let latitudeDelta, let longitudeDelta):
      guard latitudeDelta >= 0, longitudeDelta >= 0, center.latitude.magnitude <= 90 else {
        throw .impossibleRect
      }
      self.init(
        west: center.longitude - longitudeDelta / 2, east: center.longitude + longitudeDelta / 2,
        south: max(-90, center.latitude - latitudeDelta / 2),
        north: min(90, center.latitude + latitudeDelta / 2))
    case .mapRect(let x, let y, let w, let h):
      guard w >= 0, h >= 0 else { throw .impossibleRect }
      self.init(mapWest: x, mapEast: x + w, north: y, south: y + h, width: w)
    }
  }

  private init(west: Double, east: Double, south: Double, north: Double) {
    self.init(
      mapWest: (west + 180) / 360 * Twin.worldSize, mapEast: (east + 180) / 360 * Twin.worldSize,
      north: Twin.southOf(north), south: Twin.southOf(south),
      width: (east - west) / 360 * Twin.worldSize)
  }

  private init(mapWest: Double, mapEast: Double, north: Double, south: Double, width: Double) {
    (west, east, self.north, self.south, self.width) = (mapWest, mapEast, north, south, width)
  }

  /// Grown by the margin.
  func grown(by marginFactor: Double) -> TwinEdges {
    var out = self
    out.west -= width * marginFactor
    out.east += width * marginFactor
    out.north -= (south - north) * marginFactor
    out.south += (south - north) * marginFactor
    return out
  }
}

/// The world-anchored grid of a request and the part of it that is asked for, section 3.
public struct TwinGrid: Sendable {
  /// The zoom level, rounded to 1/1000, and on a grid down to a multiple of the zoom step.
  public private(set) var zoomLevel: Double
  /// The size of a cell in points.
  public let cellSize: Double
  /// N.
  public let cellsPerWorld: Int
  /// W / N.
  public let cellMapSize: Double
  /// The westernmost column, in 0..<N.
  public private(set) var firstColumn = 0
  /// The number of columns from there, round the world.
  public private(set) var columns = 0
  /// The rows.
  public private(set) var rows = 0..<0

  /// The grid of a request.
  public init(_ request: TwinRequest) throws(TwinRefusal) {
    let edges = try TwinEdges(request.rect)
    let zoomLevel = try TwinGrid.zoomLevel(request.scale, width: edges.width)
    self.init(
      zoomLevel: request.zoomStep.roundedDown(zoomLevel), cellSize: request.cellSize)
    try cover(edges.grown(by: request.marginFactor))
  }

  /// The tiles of a request whose method has no grid: those of the whole zoom below, 256 points wide.
  public init(tilesOf request: TwinRequest) throws(TwinRefusal) {
    let edges = try TwinEdges(request.rect)
    let zoomLevel = try TwinGrid.zoomLevel(request.scale, width: edges.width)
    self.init(zoomLevel: floor(zoomLevel), cellSize: 256)
    self.zoomLevel = zoomLevel
    try cover(edges.grown(by: request.marginFactor))
  }

  /// Map points a screen point.
  public var scale: Double { Twin.worldSize / (256 * exp2(zoomLevel)) }

  /// Outward to whole cells.
  private mutating func cover(_ wide: TwinEdges) throws(TwinRefusal) {
    let count = Double(cellsPerWorld)
    let west = floor(wide.west / cellMapSize)
    let east = max(west + 1, ceil(wide.east / cellMapSize))
    if east - west >= count {
      columns = cellsPerWorld
    } else {
      firstColumn = Int(west - floor(west / count) * count)
      columns = Int(east - west)
    }
    if wide.north < Twin.worldSize, wide.south > 0 || wide.south == wide.north && wide.south == 0 {
      let top = min(count - 1, floor(max(0, wide.north) / cellMapSize))
      let bottom = min(count, max(top + 1, ceil(min(Twin.worldSize, wide.south) / cellMapSize)))
      rows = Int(top)..<Int(bottom)
    }
    guard Double(columns) * Double(rows.count) <= 1_000_000 else { throw .tooManyCells }
  }

  /// The grid alone, nothing asked for.
  public init(zoomLevel: Double, cellSize: Double) {
    self.zoomLevel = zoomLevel
    self.cellSize = cellSize
    cellsPerWorld = max(1, Int(floor(256 * exp2(zoomLevel) / cellSize + 1e-6)))
    cellMapSize = Twin.worldSize / Double(cellsPerWorld)
  }

  private static func zoomLevel(_ scale: TwinRequest.Scale, width: Double) throws(TwinRefusal)
    -> Double
  {
    let exact: Double
    switch scale {
    case .zoom(let zoom):
      guard (0...24).contains(zoom) else { throw .zoomOutOfRange }
      exact = zoom
    case .viewportWidth(let points):
      exact = log2(Twin.worldSize / (256 * (width / points)))
    }
    let rounded = (exact * 1000).rounded(.toNearestOrAwayFromZero) / 1000
    guard (-10...30).contains(rounded) else { throw .zoomOutOfRange }
    return rounded
  }

  /// The cell that holds a map point.
  public func cell(x: Double, y: Double) -> TwinCell {
    TwinCell(
      row: min(cellsPerWorld - 1, Int(floor(y / cellMapSize))),
      column: min(cellsPerWorld - 1, Int(floor(x / cellMapSize))))
  }

  /// Whether a cell is asked for.
  public func contains(_ cell: TwinCell) -> Bool {
    let offset = (cell.column - firstColumn + cellsPerWorld) % cellsPerWorld
    return offset < columns && rows.contains(cell.row)
  }

  /// What is asked for, in map points: x in [0, W), x + width may pass W.
  public var rect: TwinRect {
    let top = Double(rows.lowerBound) * cellMapSize
    let height = Double(rows.count) * cellMapSize
    if columns == cellsPerWorld {
      return TwinRect(x: 0, y: top, width: Twin.worldSize, height: height)
    }
    return TwinRect(
      x: Double(firstColumn) * cellMapSize, y: top, width: Double(columns) * cellMapSize,
      height: height)
  }
}

/// A cell of a grid; ordered by row, then column.
public struct TwinCell: Hashable, Comparable, Sendable {
  /// The row from the north.
  public var row: Int
  /// The column from 180°W.
  public var column: Int

  /// A cell.
  public init(row: Int, column: Int) {
    self.row = row
    self.column = column
  }

  /// By row, then column.
  public static func < (a: TwinCell, b: TwinCell) -> Bool {
    a.row != b.row ? a.row < b.row : a.column < b.column
  }
}
