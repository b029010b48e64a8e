import ClusterCore
import TestSupport
import Testing

/// The expected content of a server: collections after the answered writes.
struct Mirror {
  /// The features of each collection by id.
  private(set) var collections: [String: [FeatureID: TwinFeature]] = [:]
  /// The latest version seen of each collection, including dropped ones.
  private var versions: [String: Int] = [:]

  /// Sends a random write to a server, expects an answer, and records the write.
  mutating func write(
    to server: ServerProcess, using generator: inout SeededGenerator
  ) throws {
    let name = generator.pick(["red", "green"])
    let path = "/collections/\(name)"
    let held = collections[name] ?? [:]
    let feature = Mirror.feature(using: &generator)
    switch generator.int(0...9) {
    case 0 where collections[name] != nil:
      #expect(try server.client.send("DELETE", path).status == 204)
      collections[name] = nil
    case 1:
      let answer = try server.client.send("PUT", path, json: "{\"title\":\"\(generator.next())\"}")
      #expect(answer.status == (collections[name] == nil ? 201 : 200))
      collections[name] = held
    case 2...3 where !held.isEmpty:
      let id = generator.pick(held.keys.sorted())
      let answer = try server.client.send("DELETE", path + "/items/\(id)")
      #expect(answer.status == 204)
      collections[name]?[id] = nil
    case 4...6:
      let answer = try server.client.send(
        "PUT", path + "/items/\(feature.id)", json: feature.geoJSON)
      #expect(answer.status == (held[feature.id] == nil ? 201 : 200))
      collections[name, default: [:]][feature.id] = feature
    default:
      let features = (0..<generator.int(1...200)).map { _ in Mirror.feature(using: &generator) }
      try server.store(features, in: name)
      for feature in features { collections[name, default: [:]][feature.id] = feature }
    }
  }

  private static func feature(using generator: inout SeededGenerator) -> TwinFeature {
    let number = generator.int(1...400)
    let id = number % 3 == 0 ? FeatureID(known: "t\(number)") : FeatureID(known: number)
    return TwinFeature(
      id: id,
      coordinate: Coordinate(
        latitude: generator.double(-60...60), longitude: generator.double(-180...180)),
      properties: "{\"z\":\(generator.next()),\"a\":\"\(number)\",\"e\":1.50e-3}")
  }

  /// Expects a server to hold exactly this content, and that no version has decreased.
  mutating func expect(in server: ServerProcess) throws {
    let listed = try server.json("/collections")["collections"]?.array ?? []
    #expect(listed.compactMap { $0["id"]?.string } == collections.keys.sorted())
    for collection in listed {
      let name = try #require(collection["id"]?.string)
      let version = try #require(collection["version"]?.int)
      #expect(version >= versions[name, default: 0], "\(name)")
      versions[name] = version
      let want = Twin(Array((collections[name] ?? [:]).values)).features
      #expect(collection["featureCount"]?.int == want.count)
      let page = try server.json("/collections/\(name)/items?limit=10000")
      let got = page["features"]?.array ?? []
      #expect(got.map { $0["id"] ?? .null } == want.map(\.idJSON), "\(name)")
      for (one, feature) in zip(got, want) {
        let place = one["geometry"]?["coordinates"]
        #expect(place?[0]?.double == feature.coordinate.longitude)
        #expect(place?[1]?.double == feature.coordinate.latitude)
        #expect(one["properties"]?.text == feature.properties)
      }
    }
  }

  /// The bytes of every kind of answer about every collection, including ids of annotations.
  func answers(of server: ServerProcess) throws -> [String: [UInt8]] {
    var answers = ["/collections": try server.body("/collections")]
    for name in collections.keys {
      let all = "bbox=-180,-90,180,90"
      for path in [
        "", "/items?limit=10000", "/items?bbox=-20,-20,120,50&limit=20",
        "/clusters?\(all)&zoom=2&members=3&titleProperty=a",
        "/clusters?\(all)&zoom=4&decluster=true&minPoints=9",
        "/clusters?\(all)&zoom=1&f=geojson&clusterer=nearCenter", "/pins?\(all)&limit=10000",
      ] {
        let path = "/collections/\(name)\(path)"
        answers[path] = try server.body(path)
      }
    }
    return answers
  }
}
