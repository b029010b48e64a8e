import ClusterCore
import Glibc
import HTTPServer

/// A random read of a kind, over the cities.
struct RandomRead {
  /// The kind of a read, each with the field that makes it costly.
  enum Kind: String, CaseIterable {
    case plain, filter, groupBy, statistics, members, subtitleLimit, decluster, keepApart, minPoints
    case debug, geojson, previous, distance, collision, items, itemsOfBbox, itemsOfFilter, pins
    case annotation, annotationItems, annotationChildren, locate
  }

  let kind: Kind
  let request: HTTPRequest

  /// - Parameters:
  ///   - centre: the coordinate of a feature, which the view shows.
  ///   - id: the integer id of that feature.
  init(_ kind: Kind, at centre: Coordinate, id: Int, _ synthetic: inout Synthetic) {
    self.kind = kind
    func uniform(_ range: ClosedRange<Double>) -> Double {
      range.lowerBound + synthetic.uniform() * (range.upperBound - range.lowerBound)
    }
    func pick<Value>(_ values: [Value]) -> Value {
      values[min(Int(synthetic.uniform() * Double(values.count)), values.count - 1)]
    }
    let isWithoutGrid = kind == .distance || kind == .collision
    // From a street to the world.
    let width = 360 * exp2(uniform((isWithoutGrid ? -16 : -15)...(isWithoutGrid ? -5 : 0)))
    let height = min(width * uniform(0.4...2), 120)
    func rounded(_ degrees: Double) -> Double { (degrees * 1e6).rounded() / 1e6 }
    let west = rounded(max(centre.longitude - width * synthetic.uniform(), -180))
    let south = rounded(max(centre.latitude - height * synthetic.uniform(), -85))
    let (east, north) = (rounded(min(west + width, 180)), rounded(min(south + height, 85)))
    let bbox = "bbox=\(west),\(south),\(east),\(north)"
    let scale =
      "viewportWidth=\(rounded(uniform(320...1600)))&cellSize=\(rounded(uniform(40...90)))"
    let items = "/collections/c/items"
    func view(_ more: String) -> HTTPRequest {
      HTTPRequest("/collections/c/clusters?\(bbox)&\(scale)&\(more)")
    }
    func methodView(_ more: String) -> HTTPRequest {
      HTTPRequest("/collections/c/clusters?\(bbox)&viewportWidth=390&\(more)")
    }
    let filter = "population%3E\(Int(exp2(uniform(14...20))))"
    let zoom = log2(390 / 256 * 360 / width)
    let grid = CellGrid(zoom: min(max(zoom, 0), 22), cellSize: 60)
    let column = grid.cell(of: WebMercator.project(centre).x)
    let row = grid.cell(of: WebMercator.project(centre).y)
    let annotation = "/collections/c/clusters/g\(grid.cellsPerWorld)_60_\(column)_\(row)"
    switch kind {
    case .plain: request = view("limit=10000")
    case .filter: request = view("filter=\(filter)")
    case .groupBy: request = view("groupBy=country")
    case .statistics:
      request = view(
        pick([
          "countBy=country", "weightBy=population", "countBy=name",
          "aggregate=%7B%22a%22:%5B%22mean%22,%22population%22%5D%7D",
        ]))
    case .members: request = view("members=\(pick([1, 5, 20, 100]))")
    case .subtitleLimit: request = view("titleProperty=name&subtitleLimit=\(pick([1, 5, 20, 100]))")
    case .decluster: request = view("decluster=true&minPoints=\(pick([1, 2, 4]))")
    case .keepApart: request = view("keepApart=\(id),\(id + 1),\(id + 2)")
    case .minPoints: request = view("minPoints=\(pick([3, 5, 10]))")
    case .debug: request = view("debug=true")
    case .geojson: request = view("f=geojson&properties=name")
    case .previous:
      let coordinate = "{\"latitude\":\(centre.latitude),\"longitude\":\(centre.longitude)}"
      let previous = (0..<pick([10, 100, 500])).map {
        "{\"id\":\"n\(id + $0)\",\"coordinate\":\(coordinate)}"
      }
      request = HTTPRequest(
        "/collections/c/clusters",
        "{\"bbox\":[\(west),\(south),\(east),\(north)],\"viewportWidth\":800,\"previous\":"
          + "[\(previous.joined(separator: ","))]}")
    case .distance: request = methodView("method=distance&epsilon=\(rounded(uniform(10...80)))")
    case .collision: request = methodView("method=collision&markerSize=\(pick([20, 40, 64])),40")
    case .items:
      let offset = Int(uniform(0...50_000))
      request = HTTPRequest("\(items)?limit=\(pick([1, 10, 100, 1000, 10_000]))&offset=\(offset)")
    case .itemsOfBbox: request = HTTPRequest("\(items)?\(bbox)&limit=\(pick([10, 100, 10_000]))")
    case .itemsOfFilter:
      request = HTTPRequest("\(items)?filter=\(filter)&limit=\(pick([10, 1000]))")
    case .pins: request = HTTPRequest("/collections/c/pins?\(bbox)&limit=10000")
    case .annotation: request = HTTPRequest("\(annotation)?members=\(pick([0, 10, 100]))")
    case .annotationItems: request = HTTPRequest("\(annotation)/items?limit=\(pick([10, 10_000]))")
    case .annotationChildren:
      let child = min(zoom + Double(pick([1, 2, 3])), 24)
      request = HTTPRequest("\(annotation)/children?childZoom=\(rounded(max(child, 0)))")
    case .locate:
      request = HTTPRequest(
        "/collections/c/items/\(id)/locate",
        "{\"latitudinalMeters\":\(Int(height * 1e5) + 100),\"longitudinalMeters\":"
          + "\(Int(width * 5e4) + 100),\"viewportWidth\":390,\"viewportHeight\":844}")
    }
  }
}
