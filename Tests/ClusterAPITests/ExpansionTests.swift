import ClusterCore
import TestSupport
import Testing

@testable import ClusterAPI

/// The zoom at which a cluster comes apart, against requests at each zoom.
@Suite(.timeLimit(.minutes(10))) struct ExpansionTests {
  private static let path = "/collections/c/clusters"

  /// Fields that decide what is clustered.
  private static let ways = [
    "", "minPoints=4", "minUniqueLocationsForClustering=3", "minPoints=6&zoomStep=1",
    "maxZoomLevelForClustering=8", "maxZoomLevelForClustering=14.999",
    "maxZoomLevelForClustering=11.8&zoomStep=0.7", "decluster=true&maxZoomLevelForClustering=13",
    "decluster=true&minPoints=5", "zoomStep=0.3&cellSize=100", "keepApart=3,8,20,21",
    "filter=k%20%3C%202&minPoints=3",
    "filter=k%20%3C%202&maxZoomLevelForClustering=12&zoomStep=0.33",
    "groupBy=k&minPoints=3", "groupBy=k&decluster=true&maxZoomLevelForClustering=16",
  ]

  /// Crowds of crowds, with features at one place and a few metres apart.
  private func service(_ seed: UInt64) async throws -> Service {
    var generator = SeededGenerator(seed: seed)
    var features: [TwinFeature] = []
    var places: [Coordinate] = []
    for number in 1...160 {
      var place = Coordinate(
        latitude: generator.double(-60...60), longitude: generator.double(-180...180))
      if let near = places.isEmpty ? nil : generator.pick(places), generator.chance(0.85) {
        let reach = generator.pick([0, 0.00003, 0.0002, 0.01, 1])
        place = Coordinate(
          latitude: near.latitude + generator.double(-reach...reach),
          longitude: min(180, max(-180, near.longitude + generator.double(-reach...reach))))
      }
      places.append(place)
      features.append(
        TwinFeature(
          number, place.longitude, place.latitude, "{\"k\":\(generator.int(0...3))}"))
    }
    let service = try await Service(features)
    return service
  }

  @Test(arguments: ways) func `a cluster comes apart at the first zoom that shows it as several`(
    way: String
  ) async throws {
    let service = try await service(501)
    var (looked, found) = (0, Set<Int?>())
    for zoom in ["0", "3", "5.4", "9", "13"] {
      let view = await service.get(
        "\(Self.path)?bbox=-180,-85,180,85&zoom=\(zoom)&limit=10000&members=100&expansion=true&\(way)"
      )
      guard view.status == 200, let cells = view["cellsPerWorld"]?.int else { continue }
      for one in view.annotations.filter({ $0["isCluster"]?.bool == true }).prefix(12) {
        looked += 1
        let asked = try await asked(one, way, cells, service)
        found.insert(asked)
        let comment: Comment = "\(one.text) \(way)"
        #expect(one["expansionZoom"]?.int == asked && one["expansionZoom"] != nil, comment)
        let id = one["id"]?.string ?? ""
        let own = way.split(separator: "&")
          .filter { !$0.hasPrefix("cellSize") && !$0.hasPrefix("groupBy") }.joined(separator: "&")
        let detail = await service.get("\(Self.path)/\(id)?\(own)")
        #expect(detail["expansionZoom"] == one["expansionZoom"], comment)
        guard asked != nil else { continue }
        let children = await service.get("\(Self.path)/\(id)/children?\(own)")
        #expect(children.annotations.count > 1, comment)
      }
    }
    #expect(looked > 10 && found.count > 2, "\(looked) \(found)")
  }

  /// What the service answers at each zoom, until a cluster's features are several.
  private func asked(
    _ cluster: TestJSON, _ way: String, _ cells: Int, _ service: Service
  ) async throws -> Int? {
    let members = Set((cluster["members"]?.array ?? []).compactMap { $0["id"]?.int })
    #expect(members.count == cluster["count"]?.int)
    let bbox = (cluster["bbox"]?.array ?? []).map(\.text).joined(separator: ",")
    for zoom in 0...24 {
      let view = await service.get(
        "\(Self.path)?bbox=\(bbox)&marginFactor=0&zoom=\(zoom)&limit=10000&members=100&\(way)")
      // The crowds are far from so wide where cells are so small.
      view.expect(200)
      guard let finer = view["cellsPerWorld"]?.int, finer > cells else { continue }
      let holders = view.annotations.filter { one in
        if let id = one["feature"]?["id"]?.int { return members.contains(id) }
        return (one["members"]?.array ?? []).contains { members.contains($0["id"]?.int ?? 0) }
      }
      if holders.count > 1 { return zoom }
    }
    return nil
  }

  @Test func `two shops a few metres apart come apart where clustering ends`() async throws {
    let service = try await Service([
      TwinFeature(1, 13.4, 52.5), TwinFeature(2, 13.40007, 52.50001),
    ])
    let view = "\(Self.path)?bbox=13,52,14,53&zoom=14&expansion=true"
    func zoom(_ fields: String) async -> Int? {
      (await service.get("\(view)&\(fields)")).annotations.first?["expansionZoom"]?.int
    }
    #expect(await zoom("") == 18)
    #expect(await zoom("maxZoomLevelForClustering=14.999") == 15)
    #expect(await zoom("maxZoomLevelForClustering=15") == 16)
    #expect(await zoom("maxZoomLevelForClustering=30") == 18)
    // The grid of 15 is that of 14.7, and that of 16 the one of 15.4.
    #expect(await zoom("maxZoomLevelForClustering=14.999&zoomStep=0.7") == 16)
    let tile = await service.get(
      "/collections/c/tiles/13/4400/2687?maxZoomLevelForClustering=14.999&expansion=true&zoomStep=1"
    )
    let point = try #require(try DecodedTile(tile.response.body).points.first)
    #expect(point.tags["expansion_zoom"] == .integer(14), "\(point)")
  }

  @Test func `a cell that others fill up is clustered where its own features wouldn't be`()
    async throws
  {
    // Two features of a whole cell, which the thresholds of the request would leave apart, and a crowd beside them
    // that shares a finer cell with them.
    let service = try Service()
    let pair = [TwinFeature(1, 0.0001, 10), TwinFeature(2, 0.0003, 10.0001)]
    let crowd = (3...12).map { TwinFeature($0, 0.0004 + Double($0) * 1e-5, 10.0002) }
    await service.store(pair + crowd)
    let ids = "filter=k%20IS%20NULL"
    var zooms: Set<Int?> = []
    for fields in ["minPoints=3", "minPoints=100", "minUniqueLocationsForClustering=9", "", ids] {
      for cell in (await service.get("\(Self.path)?bbox=-1,9,1,11&zoom=12&expansion=true"))
        .annotations
      {
        let id = cell["id"]?.string ?? ""
        let detail = await service.get("\(Self.path)/\(id)?\(fields)")
        detail.expect(200)
        zooms.insert(detail["expansionZoom"]?.int)
      }
    }
    #expect(zooms.count > 1)
  }
}
