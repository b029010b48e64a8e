import ClusterCore
import TestSupport
import Testing

@testable import ClusterAPI
@testable import Collections

/// Tiles from cells alone and from the cache, against those that are encoded from annotations.
@Suite(.timeLimit(.minutes(10))) struct TileCacheTests {
  private let path = "/collections/c"

  /// Queries of plain tiles, and of others.
  private static let queries = [
    "", "cellSize=100", "cellSize=33.3", "cellSize=512", "expansion=true", "filter=k%20%3C%202",
    "filter=S_INTERSECTS(geometry,BBOX(-50,-40,90,60))", "properties=k", "properties=none", "k=1",
    "groupBy=k", "decluster=true&minPoints=4", "clusterer=nearCenter", "countBy=k&weightBy=w",
    "aggregate=%7B%22a%22:%5B%22mean%22,%22w%22%5D%7D&expansion=true",
    "minUniqueLocationsForClustering=3", "maxZoomLevelForClustering=2", "weightBy=w",
  ]

  private func fill(
    _ service: Service, _ ids: some Sequence<Int>, using generator: inout SeededGenerator
  ) async {
    let pool = RandomCoordinates(using: &generator)
    await service.store(geoJSON: ids.map { pool.feature($0, using: &generator) })
  }

  /// A tile near a feature, and a query.
  private func target(
    _ service: Service, zooms: ClosedRange<Int>, using generator: inout SeededGenerator
  ) throws -> (tile: Tile, query: String)? {
    guard let index = service.catalog["c"]?.index, index.count > 0 else { return nil }
    let place = index.record(at: generator.pick(index.sampledOrdinals(100))).coordinate
    let tile = Tile(zoom: generator.int(zooms), holding: WebMercator.project(place))
    return (tile, generator.pick(Self.queries))
  }

  private func request(_ tile: Tile, _ query: String) throws -> TileRequest {
    try TileRequest(tile, query: query)
  }

  /// The tile of all annotations, even where cells alone would do.
  private func wholeTile(
    _ request: TileRequest, of snapshot: CollectionSnapshot
  ) throws -> [UInt8] {
    try TileWriter(request, ClusterAnswer(request.viewport, of: snapshot)).encode()
  }

  @Test(arguments: Seeds.each(1...3))
  func `tiles of cells are those of annotations, byte for byte`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let service = try Service()
    await fill(service, 1...500, using: &generator)
    let snapshot = try #require(service.catalog["c"])
    var plain = 0
    for _ in 0..<200 {
      guard let (tile, query) = try target(service, zooms: 0...24, using: &generator) else {
        continue
      }
      let request = try request(tile, query)
      if request.viewport.needs.isSubset(of: .plainCells) { plain += 1 }
      let whole = try wholeTile(request, of: snapshot)
      #expect(try TileWriter.tile(request, of: snapshot) == whole, "\(tile) \(query)")
    }
    #expect(plain > 60)
  }

  @Test(arguments: Seeds.each(1...2))
  func `every tile is the one that is encoded anew, whatever is written`(seed: UInt64)
    async throws
  {
    var generator = SeededGenerator(seed: seed)
    let service = try Service()
    await fill(service, 1...200, using: &generator)
    for step in 0..<60 {
      let id = generator.int(1...250)
      switch generator.int(0...9) {
      case 0: _ = await service.send(.delete, "\(path)/items/\(id)")
      case 1:
        _ = await service.send(
          .patch, "\(path)/items/\(id)", #"{"properties":{"k":1}}"#, type: "application/json")
      case 2 where step % 7 == 0:
        _ = await service.send(.delete, path)
        await fill(service, 1...100, using: &generator)
      case 3: await fill(service, id...id + 40, using: &generator)
      default: await fill(service, [id], using: &generator)
      }
      for _ in 0..<12 {
        guard let (tile, query) = try target(service, zooms: 0...3, using: &generator) else {
          continue
        }
        let snapshot = try #require(service.catalog["c"])
        let expected = try wholeTile(try request(tile, query), of: snapshot)
        for _ in 0..<2 {
          let answer = await service.get("\(path)/tiles/\(tile.zoom)/\(tile.x)/\(tile.y)?\(query)")
          // A parameter that no feature has a value of is unknown.
          if answer.status == 400, query == "k=1" { continue }
          #expect(answer.status == (expected.isEmpty ? 204 : 200))
          #expect(answer.response.body == expected, "seed \(seed) step \(step) \(tile) \(query)")
        }
      }
    }
    let counts = service.tiles.counts
    #expect(counts.cached > counts.made && counts.made > 100)
    #expect(service.reports.value == [])
  }

  @Test func `a query that was read for another tile asks for the same`() throws {
    var generator = SeededGenerator(seed: 6)
    let templates = TileTemplates()
    for _ in 0..<500 {
      let zoom = generator.int(0...24)
      let (x, y) = (generator.int(0...(1 << zoom) - 1), generator.int(0...(1 << zoom) - 1))
      let tile = try #require(Tile(zoom: zoom, x: x, y: y))
      let query = generator.pick(Self.queries + [nil])
      let type = generator.chance(0.5) ? MediaType.vectorTile : .geoJSON
      let known = try templates.request(for: tile, type, query: query)
      let fresh = try TileRequest(tile, type, query: query)
      #expect(known.tile == tile && known.version == fresh.version)
      #expect(known.viewport.values.cell == fresh.viewport.values.cell)
      let (one, other) = (
        try #require(TileKey(tile, known.viewport)), try #require(TileKey(tile, fresh.viewport))
      )
      #expect(one.place == other.place && one.isSame(as: other) && other.isSame(as: one))
    }
  }

  @Test func `queries of tiles take little memory, and those that are wrong none`() throws {
    let templates = TileTemplates()
    #expect(throws: Problem.self) {
      try templates.request(for: .world, .vectorTile, query: "cellSize=x")
    }
    #expect(templates.byteCount == 0)
    let filter = "filter=" + (0..<40).map { "n=\($0)%20OR%20" }.joined()
    var largest = 0
    for number in 0..<2000 {
      let size = 20 + Double(number) / 100
      let query = number % 2 == 0 ? "cellSize=\(size)" : "\(filter)n=\(number)"
      let request = try templates.request(for: .world, .vectorTile, query: query)
      #expect(request.viewport.values.cellSize == (number % 2 == 0 ? size : nil))
      largest = max(largest, templates.byteCount)
    }
    #expect((500_000...1 << 20).contains(largest))
    let before = templates.byteCount
    let long = "filter=k='\(String(repeating: "x", count: 20_000))'"
    _ = try templates.request(for: .world, .vectorTile, query: long)
    #expect(templates.byteCount == before)
  }

  @Test func `many templates take no more memory than there is for tiles`() async throws {
    let budget = CacheBudget(limit: 400_000)
    let memory = budget.memory
    let service = try Service(catalog: Catalog(cache: AnswerCache(tiles: budget)))
    var generator = SeededGenerator(seed: 5)
    await fill(service, 1...300, using: &generator)
    var largest = 0
    for number in 0..<1000 {
      let place = number % 3 == 0 ? "0/0/0" : "2/\(number % 4)/\(number / 4 % 4)"
      let answer = await service.get("\(path)/tiles/\(place)?properties=p\(number)")
      #expect([200, 204].contains(answer.status))
      largest = max(largest, memory.byteCount)
      #expect(memory.byteCount <= 400_000)
    }
    #expect(largest > 300_000)
    // The one that was asked for last is still there.
    let before = budget.counts.cached
    await service.get("\(path)/tiles/0/0/0?properties=p999").expect(200)
    #expect(budget.counts.cached == before + 1)
    // A write that touches more than is looked at, and the end of the collection.
    await fill(service, 1...8000, using: &generator)
    #expect(memory.byteCount < 50_000)
    await service.get("\(path)/tiles/0/0/0").expect(200)
    #expect(memory.byteCount > 0)
    _ = await service.send(.delete, path)
    for _ in 0..<500 where memory.byteCount > 0 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(memory.byteCount == 0)
  }

  @Test func `only tiles that a write touches are encoded again`() async throws {
    let service = try await Service([TwinFeature(1, 100, 10), TwinFeature(2, -100, 10)])
    let budget = service.tiles
    func encoded(_ tile: String) async -> Int {
      let before = budget.counts.made
      await service.get("\(path)/tiles/\(tile)").expect(200)
      return budget.counts.made - before
    }
    for tile in ["1/0/0", "1/1/0"] {
      #expect(await encoded(tile) == 1)
      #expect(await encoded(tile) == 0)
    }
    await service.store([TwinFeature(3, 101, 10)])
    #expect(await encoded("1/0/0?v=7") == 0)
    #expect(await encoded("1/1/0") == 1)
    // Other forms of the same request are the same tile.
    #expect(await encoded("1/1/0.mvt?cellSize=64") == 0)
    #expect(await encoded("WebMercatorQuad/1/0/1?cellSize=63.9&properties=*") == 0)
    #expect(await encoded("1/1/0?cellSize=128") == 1)
  }

  // MARK: Parameters

  @Test func `properties are parameters of tiles`() async throws {
    let service = try await Service(
      (0..<60).map {
        TwinFeature(
          $0, Double($0) * 2, 1, #"{"country":"\#($0 % 3 == 0 ? "DE" : "FR")","cellSize":\#($0)}"#)
      })
    let filtered = await service.get("\(path)/tiles/0/0/0?filter=country%3D'DE'")
    #expect(filtered.status == 200)
    for tile in ["0/0/0", "WebMercatorQuad/0/0/0"] {
      for _ in 0..<2 {
        let answer = await service.get("\(path)/tiles/\(tile)?country=DE")
        #expect(answer.response.body == filtered.response.body)
      }
      await service.get("\(path)/tiles/\(tile)?land=DE").expectProblem(400, at: "land")
      await service.get("\(path)/tiles/\(tile)?country=DE&country=FR")
        .expectProblem(400, at: "country")
    }
    let people = await service.get("\(path)/tiles/0/0/0.geojson?country=DE")
    #expect(people["featureCount"]?.int == 20)
    let both = await service.get("\(path)/tiles/0/0/0.geojson?country=DE&filter=cellSize%3C30")
    #expect(both["featureCount"]?.int == 10)
    // A field of the request comes first.
    let own = await service.get("\(path)/tiles/0/0/0.geojson?cellSize=50")
    #expect(own["featureCount"]?.int == 60)
    let json = await service.get("\(path)/tiles.json?country=DE")
    #expect(json["tiles"]?[0]?.string?.hasSuffix("&country=DE") == true)
    await service.get("\(path)/tiles.json?land=DE").expectProblem(400, at: "land")
  }
}
