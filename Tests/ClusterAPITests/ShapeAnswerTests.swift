import TestSupport
import Testing

@testable import ClusterAPI

/// Hulls, expansions and longitudes on the side of the view, as clients get them.
@Suite(.timeLimit(.minutes(10))) struct ShapeAnswerTests {
  private static let path = "/collections/c/clusters"

  @Test(arguments: ["grid", "distance", "collision"])
  func `what a view tells of clusters is what their own addresses tell`(method: String) async throws
  {
    let service = try await Service(
      TwinDataset.cities.features(seed: 371, count: 300).map {
        TwinFeature(id: $0.id, coordinate: $0.coordinate, properties: "{\"k\":1}")
      })
    var looked = 0
    for zoom in ["0", "2", "3.5", "6"] {
      let own = method == "grid" ? "" : "&method=\(method)&bbox=-180,-85,180,85&zoom=\(zoom)"
      let cluster = method == "collision" ? "\(own)&clusterBy=k" : own
      let view =
        "\(Self.path)?hull=true&expansion=true"
        + (method == "grid" ? "&bbox=-180,-85,180,85&zoom=\(zoom)" : cluster)
      let answer = await service.get(view)
      let features = await service.get("\(view)&f=geojson")
      answer.expect(200)
      let clusters = answer.annotations.filter { $0["isCluster"]?.bool == true }
      let inGeoJSON = (features["features"]?.array ?? []).filter {
        $0["properties"]?["cluster"]?.bool == true
      }
      #expect(clusters.count == inGeoJSON.count)
      for (one, feature) in zip(clusters, inGeoJSON).prefix(20) {
        looked += 1
        let id = one["id"]?.string ?? ""
        let detail = await service.get("\(Self.path)/\(id)?hull=true\(cluster)")
        for name in ["expansionZoom", "visibleMapRect", "hull"] {
          #expect(one[name] != nil && one[name] == detail[name], "\(id) \(name)")
          #expect(feature["properties"]?[name] == one[name])
        }
        #expect(feature["properties"]?["annotation_id"]?.string == id)
        let more = cluster.isEmpty ? "" : "?\(cluster.dropFirst())"
        let hull = await service.get("\(Self.path)/\(id)/hull\(more)")
        #expect(hull.type == "application/geo+json" && hull.json == one["hull"])
      }
      #expect(!answer.annotations.contains { $0["isCluster"]?.bool == false && $0["hull"] != nil })
    }
    #expect(looked > 3)
  }

  @Test func `features of both kinds carry one id`() async throws {
    let service = try await Service(TwinDataset.cities.features(seed: 372, count: 200))
    let view = "\(Self.path)?bbox=-180,-85,180,85&zoom=3"
    let ids = (await service.get(view)).annotations.map { $0["id"] }
    let features = (await service.get("\(view)&f=geojson"))["features"]?.array ?? []
    #expect(!ids.isEmpty && features.map { $0["properties"]?["annotation_id"] } == ids)
  }

  @Test func `longitudes are on the side of the view`() async throws {
    let service = try await Service([
      TwinFeature(1, 179, 1), TwinFeature(2, -179, 1), TwinFeature(3, 180, 20),
      TwinFeature(4, -178.5, 1), TwinFeature(5, 100, 1), TwinFeature(6, -100, 1),
    ])
    func longitudes(_ view: String) async -> [Double] {
      let answer = await service.get("\(Self.path)?\(view)&wrap=true")
      answer.expect(200)
      return answer.annotations.compactMap { $0["coordinate"]?["longitude"]?.double }.sorted()
    }
    let near = "zoom=7&marginFactor=0"
    #expect(await longitudes("bbox=170,0,190,30&\(near)") == [179, 180, 181, 181.5])
    #expect(await longitudes("bbox=170,0,-170,30&\(near)") == [179, 180, 181, 181.5])
    #expect(await longitudes("bbox=-190,0,-170,30&\(near)") == [-181, -180, -179, -178.5])
    #expect(await longitudes("bbox=530,0,550,30&\(near)") == [539, 540, 541, 541.5])
    #expect(await longitudes("bbox=90,0,110,30&\(near)") == [100])
    #expect(await longitudes("bbox=0,0,360,30&\(near)") == [100, 179, 180, 181, 181.5, 260])
    // A cluster as a whole, and what it carries.
    let view = "\(Self.path)?bbox=170,0,200,30&method=distance&epsilon=100&zoom=4"
    let json = (await service.get("\(view)&wrap=true&hull=true&members=9")).json
    let cluster = json["annotations"]?.array?.first { $0["count"]?.int == 3 }
    #expect(cluster?["bbox"]?.text == "[179,1,181.5,1]")
    #expect(cluster?["hull"]?.text == #"{"type":"LineString","coordinates":[[179,1],[181.5,1]]}"#)
    let members = cluster?["members"]?.array ?? []
    #expect(
      members.compactMap { $0["coordinate"]?["longitude"]?.double }.sorted() == [179, 181, 181.5])
    let west =
      (await service.get("\(view.replacing("170,0,200", with: "-190,0,-160"))&wrap=true&hull=true"))
    #expect(
      west.annotations.contains {
        $0["hull"]?.text == #"{"type":"LineString","coordinates":[[-181,1],[-178.5,1]]}"#
      })
    let features = await service.get("\(Self.path)?bbox=170,0,190,30&\(near)&wrap=true&f=geojson")
    let points = (features["features"]?.array ?? []).compactMap {
      $0["geometry"]?["coordinates"]?[0]?.double
    }
    #expect(points.sorted() == [179, 180, 181, 181.5])
    let pins = await service.get("/collections/c/pins?bbox=170,0,190,30&wrap=true")
    let places = (pins["pins"]?.array ?? []).map {
      [$0["coordinate"]?["longitude"]?.double, $0["originalCoordinate"]?["longitude"]?.double]
    }
    #expect(Set(places) == [[179, 179], [180, 180], [181, 181], [181.5, 181.5]])
    (await service.get("\(Self.path)/n1?wrap=true")).expectProblem(400, at: "wrap")
  }

  @Test func `members of a cluster across half the world are within its bounds`() async throws {
    let service = try await Service(
      zip(1..., [-170, 170, 169, 168, -100, 180]).map { TwinFeature($0, $1, 0) })
    for middle in stride(from: -540, through: 540, by: 90) {
      let view = "bbox=\(middle - 1),-1,\(middle + 1),1&marginFactor=4&cellSize=256&zoom=0"
      let answer = await service.get("\(Self.path)?\(view)&wrap=true&members=9")
      let bounds = (answer.annotations.first?["bbox"]?.array ?? []).compactMap(\.double)
      let members = answer.annotations.first?["members"]?.array ?? []
      let longitudes = members.compactMap { $0["coordinate"]?["longitude"]?.double }
      try #require(bounds.count == 4 && longitudes.count == 6)
      #expect(longitudes.min() == bounds[0] && longitudes.max() == bounds[2], "\(middle)")
    }
  }

  @Test func `a cluster that is reused comes back to the side of the view`() async throws {
    let service = try await Service([TwinFeature(1, 10, 10), TwinFeature(2, 12, 11)])
    func longitude(_ west: Int, _ previous: String) async -> TestJSON? {
      let body =
        #"{"bbox":[\#(west),0,\#(west + 20),20],"zoom":4,"cellSize":256,"wrap":true,"#
        + #""previous":\#(previous)}"#
      let answer = await service.post(Self.path, body)
      answer.expect(200)
      #expect(
        answer.annotations.first?["reuses"]?.string == answer.annotations.first?["id"]?.string)
      return answer.annotations.first?["coordinate"]?["longitude"]
    }
    func previous(_ longitude: Int) -> String {
      #"[{"id":"g16_256_8_7","coordinate":{"latitude":10.5,"longitude":\#(longitude)}}]"#
    }
    #expect(await longitude(0, previous(371)) == 11)
    #expect(await longitude(360, previous(11)) == 371)
    #expect(await longitude(360, previous(371)) == 371)
  }

  @Test func `a view that doesn't touch the antimeridian is the same with wrap`() async throws {
    let service = try await Service(TwinDataset.cities.features(seed: 373, count: 300))
    for view in ["bbox=-20,30,40,60&zoom=4", "bbox=-180,-85,180,85&zoom=2"] {
      let path = "\(Self.path)?\(view)"
      let plain = await service.get(path)
      // Cells are kept of a grid that is asked for again.
      for _ in 0..<2 { #expect((await service.get(path)).text == plain.text) }
      let before = service.cells.counts.cached
      #expect((await service.get("\(path)&wrap=true")).text == plain.text)
      #expect(service.cells.counts.cached > before)
    }
    // And the cache is none the worse for views that do.
    let far = "\(Self.path)?bbox=160,-50,220,60&zoom=4"
    let plain = await service.get(far)
    for _ in 0..<2 {
      _ = await service.get("\(far)&wrap=true")
      #expect((await service.get(far)).text == plain.text)
    }
  }

  @Test func `pins are spread as asked, in metres and in points`() async throws {
    let service = try await Service(
      TwinFeature.coincident(5, at: .init(latitude: 10, longitude: 20)))
    let view = "bbox=15,5,25,15&decluster=true&maxZoomLevelForClustering=0"
    func places(_ more: String) async -> [TestJSON?] {
      let answer = await service.get("\(Self.path)?\(view)&\(more)")
      answer.expect(200)
      return answer.annotations.map { $0["coordinate"] }
    }
    let circle = await places("zoom=5")
    #expect(await places("zoom=5&pinLayout=circle&spreadUnit=meters") == circle)
    #expect(Set(circle.map { $0?.text }).count == 5)
    let spiral = await places("zoom=5&pinLayout=spiral")
    let near = await places("zoom=5&spreadUnit=points")
    // One zoom out, a point is twice as wide. Both have the same cells at 5.0001 and 5.
    let out = await places("zoom=4&spreadUnit=points")
    #expect(spiral != circle && near != circle && near != out)
    #expect(await places("zoom=5.001&spreadUnit=points") != near)
    #expect(await places("zoom=5.001&pinLayout=spiral") == spiral)
    // The same places as those of `pins`, at the same scale.
    let pins = "/collections/c/pins?bbox=15,5,25,15"
    for more in [
      "pinLayout=spiral", "zoom=5&spreadUnit=points", "zoom=5&spreadUnit=points&pinLayout=spiral",
    ] {
      let answer = await service.get("\(pins)&\(more)")
      let view = more.hasPrefix("zoom") ? more : "zoom=5&\(more)"
      #expect((answer["pins"]?.array ?? []).map { $0["coordinate"] } == (await places(view)))
    }
    (await service.get("\(pins)&spreadUnit=points")).expectProblem(422, at: "spreadUnit")
    let id = (await service.get("\(Self.path)?\(view)&zoom=5")).annotations[0]["id"]?.string ?? ""
    (await service.get("\(Self.path)/\(id)?decluster=true&pinLayout=spiral")).expect(200)
    (await service.get("\(Self.path)/\(id)?decluster=true&spreadUnit=points"))
      .expectProblem(422, at: "spreadUnit")
  }
}
