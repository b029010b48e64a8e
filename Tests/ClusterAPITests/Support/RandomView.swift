import ClusterCore
import HTTPServer
import TestSupport

@testable import ClusterAPI
@testable import Collections

/// A view of the collection `c`, one of few grids and options, so that cells come again.
struct RandomView: Sendable {
  let request: HTTPRequest
  /// For messages.
  let text: String

  /// What doesn't depend on the rectangle, as members of a JSON object.
  private static let ways = [
    #""zoom":2"#, #""zoom":2,"clusterer":"nearCenter","members":2"#, #""zoom":2.0004"#,
    #""zoom":2,"filter":"k = 1""#, #""zoom":2,"filter":"k = 2""#,
    #""zoom":2,"filter":"k < 2 AND name IS NOT NULL","decluster":true,"minPoints":4"#,
    #""zoom":2,"filter":"S_INTERSECTS(geometry, POLYGON((-20 -30, 90 0, 170 80, 0 40, -20 -30)))""#,
    #""zoom":2,"filter":"S_DWITHIN(geometry, POINT(170 40), 5e6)""#,
    #""zoom":2,"filter":"CASEI(name) LIKE '%1%' OR k * 2 > 3""#,
    #""zoom":2,"groupBy":"k","clusterer":"first""#, #""zoom":2,"groupBy":"k","weightBy":"w""#,
    #""zoom":3,"cellSize":256,"countBy":"k","aggregate":{"a":["mean","w"],"b":["max","k"]}"#,
    #""zoom":3,"cellSize":256,"aggregate":{"a":["median","w"],"b":["distinct","name"],"c":["p90","k"]}"#,
    #""zoom":3,"cellSize":256,"titleProperty":"name","subtitleLimit":2,"properties":["k"]"#,
    #""zoom":1,"decluster":true,"maxZoomLevelForClustering":0,"titleProperty":"name""#,
    #""zoom":1,"decluster":true,"maxZoomLevelForClustering":0,"distanceFromContestedLocation":9"#,
    #""zoom":1,"maxZoomLevelForClustering":0.5,"properties":"none""#, #""zoom":0,"cellSize":300"#,
    #""zoom":1,"minUniqueLocationsForClustering":3,"clusterer":"cellCenter""#, #""zoom":4.5"#,
    #""zoom":4.5,"zoomStep":1"#, #""zoom":4.7,"zoomStep":0.5"#,
    #""zoom":2.4,"zoomStep":1,"debug":true"#,
    #""zoom":1.7,"zoomStep":1,"decluster":true,"maxZoomLevelForClustering":0,"spreadUnit":"points""#,
    #""zoom":1,"cellSize":20,"limit":60"#, #""zoom":0,"cellSize":100"#,
    #""zoom":2,"fields":["id","count"]"#, #""zoom":2,"groupBy":"k","fields":["group","count"]"#,
    #""zoom":3,"cellSize":256,"titleProperty":"name","fields":["subtitle","feature"]"#,
    #""zoom":2,"hull":true,"expansion":true"#,
    #""zoom":2,"expansion":true,"fields":["expansionZoom"]"#,
    #""zoom":2,"expansion":true,"maxZoomLevelForClustering":4"#,
    #""zoom":2,"expansion":true,"maxZoomLevelForClustering":4,"zoomStep":0.7"#,
    // Of one grid, above a zoom and not.
    #""zoom":2.0001,"cellSize":300,"expansion":true,"maxZoomLevelForClustering":2"#,
    #""zoom":2.001,"cellSize":300,"expansion":true,"maxZoomLevelForClustering":2"#,
    #""zoom":1,"decluster":true,"maxZoomLevelForClustering":0,"pinLayout":"spiral""#,
    #""zoom":1,"decluster":true,"maxZoomLevelForClustering":0,"spreadUnit":"points""#,
    #""zoom":1.001,"decluster":true,"maxZoomLevelForClustering":0,"spreadUnit":"points""#,
    #""zoom":2,"wrap":true"#, #""zoom":2,"wrap":true,"hull":true,"members":2"#,
    // These are never cached.
    #""zoom":2,"keepApart":[3]"#, #""zoom":1,"debug":true"#, #""zoom":2,"previous":[]"#,
    #""zoom":2,"groupBy":"k","groups":{"1":{"cellSize":90}}"#, #""zoom":2,"method":"distance""#,
  ]

  /// A rectangle somewhere: across the antimeridian, about the poles, the whole world or a part of it.
  init(using generator: inout SeededGenerator) {
    let way = RandomView.ways[generator.int(0...RandomView.ways.count - 1)]
    let width = generator.pick([0.0, 5, 40, 90, 200, 360])
    let west = generator.pick([-180.0, -30, 100, 170, generator.double(-180...180)])
    let east = west + width > 180 && width < 360 ? west + width - 360 : west + width
    let south = generator.pick([-90.0, -86, -20, 0, 60, generator.double(-80...80)])
    let north = min(90, south + generator.pick([0.0, 10, 60, 180]))
    let margin = generator.pick(["", #","marginFactor":0"#, #","marginFactor":0.2"#])
    let body = "{\"bbox\":[\(west),\(south),\(east),\(north)],\(way)\(margin)}"
    let query = generator.chance(0.5) ? "f=geojson" : nil
    let path = "/collections/c/clusters"
    text = "\(body) \(query ?? "")"
    if generator.chance(0.5), let json = try? TestJSON(parsing: Array(body.utf8)) {
      let fields = TwinRequest.query(json)
      request = HTTPRequest(
        method: .get, path: path, query: query.map { "\(fields)&\($0)" } ?? fields,
        headers: HTTPHeaders([]), body: .empty)
    } else {
      request = HTTPRequest(
        method: .post, path: path, query: query,
        headers: HTTPHeaders([(name: "Content-Type", value: "application/json")]),
        body: RequestBody(Array(body.utf8)))
    }
  }

  /// The answer of a service to the holder of a key.
  func answer(of service: Service, key: String? = nil) async -> Answer {
    var request = request
    if let key {
      let type = request.headers["Content-Type"].map { ("Content-Type", $0) }
      request.headers = HTTPHeaders(
        [("Authorization", "Bearer \(key)")] + [type].compactMap(\.self))
    }
    return await withCheckedContinuation { continuation in
      service.api.handle(request) { continuation.resume(returning: Answer(response: $0)) }
    }
  }

  /// What it is to be for a snapshot, clustered and encoded as a whole; nil for a refusal.
  func body(of snapshot: CollectionSnapshot, by api: API) -> [UInt8]? {
    do {
      let viewport = try api.resources.viewport(request).0
      return try ClusterAnswer(viewport, of: snapshot).json().bytes
    } catch {
      return nil
    }
  }
}

/// Features of a few ids where cells meet and features share coordinates.
struct RandomCoordinates {
  private let shared: [Coordinate]

  init(using generator: inout SeededGenerator) {
    shared = (0..<12).map { _ in
      Coordinate(latitude: generator.double(-85...85), longitude: generator.double(-180...180))
    }
  }

  func coordinate(using generator: inout SeededGenerator) -> Coordinate {
    switch generator.int(0...5) {
    case 0: return generator.pick(TwinFeature.edges()).coordinate
    case 1:
      let lines = TwinFeature.onGridLines(level: generator.int(1...5), count: 40)
      return generator.pick(lines).coordinate
    case 2...3: return generator.pick(shared)
    default:
      return Coordinate(
        latitude: generator.double(-90...90), longitude: generator.double(-180...180))
    }
  }

  /// A GeoJSON Feature.
  ///
  /// - Parameter expires: RFC 3339, or nil.
  func feature(_ id: Int, expires: String? = nil, using generator: inout SeededGenerator) -> String
  {
    let coordinate = coordinate(using: &generator)
    let name = generator.chance(0.5) ? #","name":"n\#(generator.int(0...99))""# : ""
    let properties = #"{"k":\#(generator.int(0...3)),"w":\#(generator.int(-1...9))\#(name)}"#
    let feature = TwinFeature(id, coordinate.longitude, coordinate.latitude, properties).geoJSON
    return expires.map { feature.dropLast() + ",\"expires\":\"\($0)\"}" } ?? feature
  }
}
