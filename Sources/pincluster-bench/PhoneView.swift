import ClusterCore

/// A region of the cities as a phone shows it, panned at random so that no two requests are alike.
struct PhoneView {
  var name: String
  var west: Double
  var south: Double
  var east: Double
  var north: Double

  static let all = [
    PhoneView(name: "Berlin", west: 13.0, south: 52.3, east: 13.8, north: 52.7),
    PhoneView(name: "Europe", west: -10, south: 35, east: 30, north: 60),
    PhoneView(name: "NewYork", west: -74.5, south: 40.4, east: -73.5, north: 41.1),
  ]

  /// The query parameter.
  var bbox: String { "bbox=\(west),\(south),\(east),\(north)" }

  /// This region, moved by up to a quarter of its size.
  func panned(_ synthetic: inout Synthetic) -> PhoneView {
    let x = (synthetic.uniform() * 2 - 1) * (east - west) / 4
    let y = (synthetic.uniform() * 2 - 1) * (north - south) / 4
    func shifted(_ degrees: Double, _ by: Double) -> Double {
      ((degrees + by) * 1e6).rounded() / 1e6
    }
    return PhoneView(
      name: name, west: shifted(west, x), south: shifted(south, y), east: shifted(east, x),
      north: shifted(north, y))
  }

  /// The target of a request for a panned region. With its own grid, the zoom and the cell size also differ
  /// a little each time, so that no grid repeats.
  func request(_ synthetic: inout Synthetic, ownGrid: Bool) -> String {
    let head = "/collections/c/clusters?" + panned(&synthetic).bbox
    guard ownGrid else { return head + "&viewportWidth=375" }
    let width = 340 + (synthetic.uniform() * 700).rounded() / 10
    let cell = 59.5 + (synthetic.uniform() * 10_000).rounded() / 10_000
    return head + "&viewportWidth=\(width)&cellSize=\(cell)"
  }

  /// Prints requests for a region, one on each line. Equal seeds give equal requests.
  static func printRequests(_ name: String, ownGrid: Bool, count: Int, seed: UInt64) throws {
    guard let view = all.first(where: { $0.name == name }) else {
      throw Failure("\(name) is not a region of the benchmark")
    }
    var synthetic = Synthetic(seed: seed)
    for _ in 0..<count { print(view.request(&synthetic, ownGrid: ownGrid)) }
  }

  /// Sends the first of such requests to a service that holds the cities, compares how many features some answers
  /// tell of with a scan of the cities, and prints the mean size of a body.
  static func checkAnswers(port: UInt16, requests path: String, _ cities: Cities) throws {
    let points = cities.cities.map { WebMercator.project($0.coordinate) }
    let connection = try Connection(port: port)
    let requests = try lines(of: path).prefix(480)
    var bytes = 0
    for (index, request) in requests.enumerated() {
      let body = try connection.ask("GET", request).body
      bytes += body.count
      guard index % 20 == 0, let rect = body.firstIndex(of: "\"gridRect\":{") else { continue }
      let grid = body[rect...]
      let (x, y) = (grid.number(after: "\"x\":"), grid.number(after: "\"y\":"))
      let (width, height) = (grid.number(after: "\"width\":"), grid.number(after: "\"height\":"))
      let count = points.count {
        (x..<x + width).contains($0.x) && (y..<y + height).contains($0.y)
      }
      try ensure(
        count > 0 && body.sum(of: "\"featureCount\":") == count
          && body.sum(of: "\"count\":") == count,
        "\(request): \(body.sum(of: "\"count\":")) features are in cells, not \(count)")
    }
    print(bytes / max(1, requests.count))
  }
}
