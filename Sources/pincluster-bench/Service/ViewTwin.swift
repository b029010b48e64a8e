import ClusterCore
import Glibc

/// A brute-force twin of viewport requests, which computes answers from the contract and all points.
struct ViewTwin {
  struct Mismatch: Error, CustomStringConvertible {
    var description: String
  }

  private let coordinates: [Coordinate]
  private let points: [MapPoint]

  init(_ coordinates: [Coordinate]) {
    self.coordinates = coordinates
    points = coordinates.map(WebMercator.project)
  }

  /// The cells of a request of ``PhoneView``, which does not touch the antimeridian.
  private struct Grid {
    let zoom: Double
    let side: Double
    let columns: ClosedRange<Int>
    let rows: ClosedRange<Int>

    var cellMapSize: Double { WebMercator.worldSize / side }

    init(_ request: String) throws(Mismatch) {
      let bounds = try ViewTwin.numbers("bbox", request)
      let first = Grid.project(bounds[0], bounds[3])
      let last = Grid.project(bounds[2], bounds[1])
      let width = try ViewTwin.numbers("viewportWidth", request)[0]
      let scale = (last.x - first.x) / width
      zoom = (log2(WebMercator.worldSize / 256 / scale) * 1000).rounded() / 1000
      let cellSize = (try? ViewTwin.numbers("cellSize", request))?.first ?? 60
      side = max(1, floor(256 * exp2(zoom) / cellSize + 1e-6))
      let size = WebMercator.worldSize / side
      columns = Grid.range(first.x, last.x, size)
      rows = Grid.range(first.y, last.y, size)
    }

    private static func project(_ longitude: Double, _ latitude: Double) -> MapPoint {
      WebMercator.project(Coordinate(latitude: latitude, longitude: longitude))
    }

    /// The cells from half the length before the range to half the length after it.
    private static func range(_ from: Double, _ to: Double, _ size: Double) -> ClosedRange<Int> {
      let margin = (to - from) / 2
      return Int(((from - margin) / size).rounded(.down))...Int(
        ((to + margin) / size).rounded(.up)) - 1
    }
  }

  /// The sums of a cell.
  private struct Cell {
    var count = 0.0
    var latitudes = 0.0
    var longitudes = 0.0
  }

  /// The nonempty cells of a grid, by row and column.
  private func cells(_ grid: Grid) -> [Cell] {
    let (columns, rows, size) = (grid.columns, grid.rows, grid.cellMapSize)
    var cells = [Cell](repeating: Cell(), count: columns.count * rows.count)
    for (index, point) in points.enumerated() {
      let (column, row) = (Int(point.x / size), Int(point.y / size))
      guard columns.contains(column), rows.contains(row) else { continue }
      let cell = (row - rows.lowerBound) * columns.count + column - columns.lowerBound
      cells[cell].count += 1
      cells[cell].latitudes += coordinates[index].latitude
      cells[cell].longitudes += coordinates[index].longitude
    }
    return cells.filter { $0.count > 0 }
  }

  /// Compares an answer to a request with the points: scale, grid, and the count and coordinate of each
  /// annotation.
  func check(_ answer: ArraySlice<UInt8>, to request: String) throws(Mismatch) {
    func expect(_ name: StaticString, _ value: Double, from start: Int? = nil) throws(Mismatch) {
      let found = answer[(start ?? answer.startIndex)...].number(after: name)
      guard (found - value).magnitude <= 1e-7 * max(1, value.magnitude / 360) else {
        throw Mismatch(description: "\(request): \(name) \(found), not \(value)")
      }
    }
    let grid = try Grid(request)
    let cells = cells(grid)
    try expect("\"zoomLevel\":", grid.zoom)
    try expect("\"cellsPerWorld\":", grid.side)
    try expect("\"gridRect\":{\"x\":", Double(grid.columns.lowerBound) * grid.cellMapSize)
    try expect("\"featureCount\":", cells.reduce(0) { $0 + $1.count })
    var start = answer.startIndex
    for cell in cells {
      guard let next = answer.firstIndex(of: "\"coordinate\":", from: start) else {
        throw Mismatch(description: "\(request): annotations are missing")
      }
      try expect("\"latitude\":", cell.latitudes / cell.count, from: next)
      try expect("\"longitude\":", cell.longitudes / cell.count, from: next)
      try expect("\"count\":", cell.count, from: next)
      start = next + 1
    }
    guard answer.firstIndex(of: "\"coordinate\":", from: start) == nil else {
      throw Mismatch(description: "\(request): there are too many annotations")
    }
  }

  /// The numbers of a query parameter.
  private static func numbers(_ name: String, _ request: String) throws(Mismatch) -> [Double] {
    for field in (request.split(separator: "?").last ?? "").split(separator: "&")
    where field.hasPrefix("\(name)=") {
      return field.dropFirst(name.count + 1).split(separator: ",").compactMap { Double($0) }
    }
    throw Mismatch(description: "\(request) has no \(name)")
  }
}
