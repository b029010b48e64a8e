import ClusterCore
import TestSupport
import Testing

@testable import ClusterAPI

/// Vector tiles, against the answers to viewports of the same grids.
@Suite(.timeLimit(.minutes(10))) struct TileTests {
  private let path = "/collections/c"

  /// Members of a viewport request, or the same in a query.
  private static let ways: [[String: String]] = [
    [:], ["properties": #"["k"]"#], ["properties": #""none""#], ["filter": #""k < 2""#],
    ["groupBy": #""k""#], ["decluster": "true", "minPoints": "9"],
    [
      "decluster": "true", "maxZoomLevelForClustering": "3",
      "distanceFromContestedLocation": "500",
    ],
    ["weightBy": #""w""#, "countBy": #""k""#, "aggregate": #"{"a":["mean","w"],"b":["max","k"]}"#],
    ["clusterer": #""nearCenter""#, "minUniqueLocationsForClustering": "3"],
  ]

  private func service(_ generator: inout SeededGenerator, count: Int) async throws -> Service {
    let service = try Service()
    let pool = RandomCoordinates(using: &generator)
    await service.store(geoJSON: (1...count).map { pool.feature($0, using: &generator) })
    return service
  }

  @Test(arguments: Seeds.each(1...2))
  func `tiles hold what viewports of their cells show`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let service = try await service(&generator, count: 400)
    let snapshot = try #require(service.catalog["c"])
    var (clusters, pins, spread) = (0, 0, 0)
    for _ in 0..<150 {
      // Around a feature, so that there is something to see.
      let ordinals = snapshot.index.sampledOrdinals(100)
      let place = snapshot.index.record(at: generator.pick(ordinals)).coordinate
      let zoom = generator.int(0...20)
      let tile = Tile(zoom: zoom, holding: WebMercator.project(place))
      let cellSize = generator.pick([60, 100, 512, 2048, 33.3])
      let way = generator.pick(TileTests.ways)
      let count = max(1, (512 / cellSize).rounded(.down))
      let (rect, cell) = (tile.rect, tile.rect.width / count)
      // A rectangle of the same cells that doesn't touch others.
      var members = way
      members["visibleMapRect"] =
        #"{"x":\#(rect.x + cell / 2),"y":\#(rect.y + cell / 2),"#
        + #""width":\#(rect.width - cell),"height":\#(rect.height - cell)}"#
      members["zoom"] = "\(zoom + 1)"
      members["cellSize"] = "\(512 / count)"
      members["marginFactor"] = "0"
      let body = "{\(members.map { "\"\($0)\":\($1)" }.joined(separator: ","))}"
      let view = await service.post("\(path)/clusters", body)
      #expect(view.status == 200, "\(view.text)")
      let query = TwinRequest.query(
        try TestJSON(
          parsing: Array("{\(way.map { "\"\($0)\":\($1)" }.joined(separator: ","))}".utf8)))
      let target = "\(path)/tiles/\(zoom)/\(tile.x)/\(tile.y)"
      let answer = await service.get("\(target)?cellSize=\(cellSize)&\(query)")
      let annotations = view["annotations"]?.array ?? []
      guard !annotations.isEmpty else {
        #expect(answer.status == 204, "\(target) \(body)")
        continue
      }
      #expect(answer.status == 200 && answer.type == "application/vnd.mapbox-vector-tile")
      let decoded = try DecodedTile(answer.response.body)
      #expect(decoded.name == "c" && decoded.version == 2 && decoded.extent == 4096)
      #expect(decoded.points.count == annotations.count)
      for (point, annotation) in zip(decoded.points, annotations) {
        check(point, annotation, on: tile, "\(target) \(body)")
        if point.tags["cluster"] != nil { clusters += 1 } else { pins += 1 }
        if annotation["originalCoordinate"] != nil { spread += 1 }
      }
    }
    #expect(clusters > 100 && pins > 100 && spread > 20)
    #expect(service.reports.value == [])
  }

  private func check(
    _ point: DecodedTile.Point, _ annotation: TestJSON, on tile: Tile, _ comment: String
  ) {
    let isCluster = annotation["isCluster"] == .bool(true)
    let id = annotation["id"]?.string.map(DecodedTile.Value.string)
    #expect(point.tags[isCluster ? "cluster_id" : "annotation_id"] == id, "\(comment)")
    checkPlace(of: point, annotation, on: tile, comment)
    guard isCluster else {
      let properties = annotation["feature"]?["properties"]?.members ?? []
      for property in properties {
        #expect(point.tags[property.key] == TileTests.value(property.value))
      }
      #expect(point.tags["feature_id"] == annotation["feature"]?["id"].flatMap(TileTests.value))
      #expect(point.tags.count == properties.count + 2)
      #expect(point.id == annotation["feature"]?["id"]?.int.map(UInt64.init))
      return
    }
    #expect(point.tags["cluster"] == .bool(true))
    #expect(point.tags["point_count"] == annotation["count"]?.int.map(DecodedTile.Value.integer))
    #expect(point.id.map { (UInt64(1) << 52..<1 << 53).contains($0) } == true)
    #expect(point.tags["group"] == annotation["group"].flatMap(TileTests.value))
    #expect(point.tags["weight"] == annotation["weight"].flatMap(TileTests.value))
    for count in annotation["counts"]?.members ?? [] {
      #expect(point.tags["count:\(count.key)"] == TileTests.value(count.value))
    }
    for aggregate in annotation["aggregates"]?.members ?? [] {
      #expect(point.tags[aggregate.key] == TileTests.value(aggregate.value))
    }
  }

  private func checkPlace(
    of point: DecodedTile.Point, _ annotation: TestJSON, on tile: Tile, _ comment: String
  ) {
    guard let latitude = annotation["coordinate"]?["latitude"]?.double,
      let longitude = annotation["coordinate"]?["longitude"]?.double
    else { return _ = Issue.record("no coordinate: \(annotation)") }
    let place = WebMercator.project(Coordinate(latitude: latitude, longitude: longitude))
    let world = WebMercator.worldSize
    // The copy of the world that is nearest.
    let x = [place.x, place.x - world, place.x + world].min {
      let middle = tile.rect.x + tile.rect.width / 2
      return ($0 - middle).magnitude < ($1 - middle).magnitude
    }
    func units(_ distance: Double) -> Double { distance / tile.rect.width * 4096 }
    let (dx, dy) = (units((x ?? 0) - tile.rect.x), units(place.y - tile.rect.y))
    let isInside = (0..<4096).contains(point.x) && (0..<4096).contains(point.y)
    #expect(isInside || annotation["originalCoordinate"] != nil, "\(comment)")
    // Means are rounded to a centimetre, which is more than a unit at large zooms.
    let slack = 1 + units(world / 3.6e9 * 2)
    #expect(dx >= Double(point.x) - slack && dx <= Double(point.x) + 1 + slack, "\(comment)")
    #expect(dy >= Double(point.y) - slack && dy <= Double(point.y) + 1 + slack, "\(comment)")
  }

  private static func value(_ json: TestJSON) -> DecodedTile.Value? {
    switch json {
    case .string(let text): .string(text)
    case .bool(let bool): .bool(bool)
    case .null: nil
    default: json.int.map { .integer($0) } ?? json.double.map { .double($0) }
    }
  }

  @Test func `the tiles of a zoom hold every feature once`() async throws {
    var generator = SeededGenerator(seed: 3)
    let service = try await service(&generator, count: 300)
    for zoom in 0...3 {
      var total = 0
      for x in 0..<1 << zoom {
        for y in 0..<1 << zoom {
          let answer = await service.get("\(path)/tiles/\(zoom)/\(x)/\(y).mvt")
          guard answer.status == 200 else {
            #expect(answer.status == 204)
            continue
          }
          for point in try DecodedTile(answer.response.body).points {
            guard case .integer(let count)? = point.tags["point_count"] else {
              total += 1
              continue
            }
            total += count
          }
        }
      }
      #expect(total == 300)
    }
  }

  @Test func `tiles say how long they may be kept, and where there are none`() async throws {
    var generator = SeededGenerator(seed: 4)
    let service = try await service(&generator, count: 20)
    let version = try #require(service.catalog["c"]).info.version
    let current = await service.get("\(path)/tiles/0/0/0?v=\(version)")
    #expect(current.response.header("Cache-Control") == "public, max-age=31536000, immutable")
    for query in ["", "?v=\(version - 1)", "?v=0"] {
      let other = await service.get("\(path)/tiles/0/0/0\(query)")
      #expect(other.status == 200 && other.response.header("Cache-Control") == "no-cache")
      let tag = other.response.etag ?? ""
      let again = await service.get(
        "\(path)/tiles/0/0/0\(query)", headers: [("If-None-Match", "\"\(tag)\"")])
      #expect(again.status == 304)
    }
    for tile in [
      "25/0/0", "24/1073741824/-1", "1/2/0", "1/0/2", "a/0/0", "1/0/0.png", "1/+1/0",
      "0/0/0.geojson.mvt",
    ] {
      await service.get("\(path)/tiles/\(tile)").expectProblem(404)
    }
    await service.get("/collections/none/tiles/0/0/0").expectProblem(404)
    await service.get("\(path)/tiles/0/0/0?cellSize=0.5").expectProblem(422, at: "cellSize")
    await service.get("\(path)/tiles/0/0/0?zoom=3").expectProblem(400, at: "zoom")
    let json = await service.get("\(path)/tiles/0/0/0.geojson")
    #expect(json.type == "application/geo+json" && json["featureCount"]?.int == 20)
  }

  /// The target of a link, without the scheme and host; nil if there is none with the relation.
  private func target(_ relation: String, in links: TestJSON?) -> String? {
    let link = links?.array?.first { $0["rel"]?.string == relation }
    return link?["href"]?.string.map { String($0.trimmingPrefix(/[a-z]+:\/\/[^\/]*/)) }
  }

  @Test func `a collection leads to its tile set and to tiles`() async throws {
    var generator = SeededGenerator(seed: 5)
    let service = try await service(&generator, count: 50)
    let ogc = "http://www.opengis.net/def/rel/ogc/1.0"
    let collection = await service.get(path)
    let list = await service.get(
      try #require(target("\(ogc)/tilesets-vector", in: collection["links"])))
    #expect(list["tilesets"]?.array?.count == 1)
    let listed = list["tilesets"]?[0]
    let set = await service.get(try #require(target("self", in: listed?["links"])))
    #expect(set["dataType"]?.string == "vector" && set["layers"]?[0]?["id"]?.string == "c")
    #expect(set["links"] == listed?["links"])
    let template = try #require(target("item", in: set["links"]))
    for (zoom, x, y) in [(0, 0, 0), (1, 1, 0), (1, 0, 1), (3, 5, 2)] {
      let place = template.replacing("{tileMatrix}", with: "\(zoom)")
        .replacing("{tileRow}", with: "\(y)").replacing("{tileCol}", with: "\(x)")
      let (tile, same) = (
        await service.get(place), await service.get("\(path)/tiles/\(zoom)/\(x)/\(y)")
      )
      #expect(tile.status == same.status && tile.response.body == same.response.body)
      #expect([200, 204].contains(tile.status))
      let people = await service.get("\(place).geojson")
      #expect(people.type == "application/geo+json")
    }
    await service.get("\(path)/tiles/WebMercatorQuad/1/2/0").expectProblem(404)
    await service.get("\(path)/tiles/Other").expectProblem(404)
    await service.get("\(path)/tiles/WebMercatorQuad/0/0.mvt/0").expectProblem(404)
    await service.get("/collections/none/tiles").expectProblem(404)

    let matrixSet = await service.get(
      try #require(target("\(ogc)/tiling-scheme", in: set["links"])))
    let matrices = try #require(matrixSet["tileMatrices"]?.array)
    #expect(matrices.count == 25 && matrixSet["id"]?.string == "WebMercatorQuad")
    #expect(set["tileMatrixSetURI"] == matrixSet["uri"])
    for (zoom, matrix) in matrices.enumerated() {
      #expect(matrix["id"]?.string == "\(zoom)" && matrix["matrixWidth"]?.int == 1 << zoom)
      // The figures of the standard's table.
      let denominator = 559_082_264.028_717_8 / Double(1 << zoom)
      let found = matrix["scaleDenominator"]?.double ?? 0
      #expect((found / denominator - 1).magnitude < 1e-12)
    }
    let sets = await service.get("/tileMatrixSets")
    let link = target("self", in: sets["tileMatrixSets"]?[0]?["links"])
    #expect(link == "/tileMatrixSets/WebMercatorQuad")
  }

  @Test func `TileJSON leads to tiles of the version`() async throws {
    var generator = SeededGenerator(seed: 6)
    let service = try await service(&generator, count: 50)
    let query = "filter=k%20%3C%202&cellSize=100"
    let json = await service.get("\(path)/tiles.json?\(query)")
    #expect(json["tilejson"]?.string == "3.0.0" && json["maxzoom"]?.int == 24)
    #expect(json["vector_layers"]?[0]?["id"]?.string == "c")
    #expect(json["vector_layers"]?[0]?["fields"]?["k"]?.string == "Number")
    let template = try #require(json["tiles"]?[0]?.string)
    let place = template.replacing("{z}", with: "0").replacing("{x}", with: "0")
      .replacing("{y}", with: "0").trimmingPrefix(/[a-z]+:\/\/[^\/]*/)
    let tile = await service.get(String(place))
    let same = await service.get("\(path)/tiles/0/0/0?\(query)")
    #expect(tile.status == 200 && tile.response.body == same.response.body)
    #expect(tile.response.header("Cache-Control")?.hasSuffix("immutable") == true)
    await service.store([TwinFeature(999, 1, 2)])
    let later = await service.get("\(path)/tiles.json?\(query)")
    #expect(later["tiles"] != json["tiles"] && later.response.etag != json.response.etag)
    #expect(await service.get(String(place)).response.header("Cache-Control") == "no-cache")
    await service.get("\(path)/tiles.json?cellSize=x").expectProblem(400, at: "cellSize")
    await service.get("\(path)/tiles.json?v=1").expectProblem(400, at: "v")
  }
}
