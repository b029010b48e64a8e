import ClusterCore
import Glibc

/// What a view must answer, worked out from the contract and every single point.
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

  /// The cells under a request of ``PhoneView``, which doesn't touch the antimeridian.
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

    /// Half of the length more on either side, then whole cells.
    private static func range(_ from: Double, _ to: Double, _ size: Double) -> ClosedRange<Int> {
      let margin = (to - from) / 2
      return Int(((from - margin) / size).rounded(.down))...Int(
        ((to + margin) / size).rounded(.up)) - 1
    }
  }

  /// What a cell holds.
  private struct Cell {
    var count = 0.0
    var latitudes = 0.0
    var longitudes = 0.0
  }

  /// Every cell of a grid that holds something, by row and column.
  private func cells(_ grid: Grid) -> [Cell] {
    let (columns, rows, size) = (grid.columns, grid.rows, grid.cellMapSize)
    var cells = [Cell](repeating: Cell(), count: columns.count * rows.count)
    for (place, point) in points.enumerated() {
      let (column, row) = (Int(point.x / size), Int(point.y / size))
      guard columns.contains(column), rows.contains(row) else { continue }
      let cell = (row - rows.lowerBound) * columns.count + column - columns.lowerBound
      cells[cell].count += 1
      cells[cell].latitudes += coordinates[place].latitude
      cells[cell].longitudes += coordinates[place].longitude
    }
    return cells.filter { $0.count > 0 }
  }

  /// Compares an answer with what the points make of its request: scale, grid, and each annotation's
  /// count and coordinate.
  func check(_ answer: ArraySlice<UInt8>, to request: String) throws(Mismatch) {
    func expect(_ name: StaticString, _ value: Double, from place: Int? = nil) throws(Mismatch) {
      let found = answer[(place ?? answer.startIndex)...].number(after: name)
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
    var place = answer.startIndex
    for cell in cells {
      guard let next = answer.firstOrdinal(of: "\"coordinate\":", from: place) else {
        throw Mismatch(description: "\(request): annotations are missing")
      }
      try expect("\"latitude\":", cell.latitudes / cell.count, from: next)
      try expect("\"longitude\":", cell.longitudes / cell.count, from: next)
      try expect("\"count\":", cell.count, from: next)
      place = next + 1
    }
    guard answer.firstOrdinal(of: "\"coordinate\":", from: place) == nil else {
      throw Mismatch(description: "\(request): there are annotations too many")
    }
  }

  /// The numbers of a field of a query.
  private static func numbers(_ name: String, _ request: String) throws(Mismatch) -> [Double] {
    for field in (request.split(separator: "?").last ?? "").split(separator: "&")
    where field.hasPrefix("\(name)=") {
      return field.dropFirst(name.count + 1).split(separator: ",").compactMap { Double($0) }
    }
    throw Mismatch(description: "\(request) has no \(name)")
  }
}

extension ArraySlice<UInt8> {
  /// The first number behind a text; not a number where there is none.
  func number(after text: StaticString) -> Double {
    guard let place = firstOrdinal(of: text) else { return .nan }
    let digits = self[(place + text.utf8CodeUnitCount)...].prefix {
      (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0)
    }
    return Double(String(decoding: digits, as: UTF8.self)) ?? .nan
  }
}
