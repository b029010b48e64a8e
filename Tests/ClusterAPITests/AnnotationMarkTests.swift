import TestSupport
import Testing

@testable import ClusterAPI

/// The names by which clients tell clusters, pins and features from each other.
@Suite(.timeLimit(.minutes(1))) struct AnnotationMarkTests {
  private let path = "/collections/c"

  /// Ids as they are sent, far apart from each other.
  private static let ids = [
    "17", #""17a""#, #""-7""#, "-5", "0", "4503599627370495", "4503599627370496",
    "9007199254740991", "-9007199254740991", #""ü/ \u0022""#, #""42""#,
  ]

  private func service(_ properties: String) async throws -> Service {
    let service = try Service()
    let features = Self.ids.enumerated().map { number, id in
      #"{"type":"Feature","id":\#(id),"geometry":{"type":"Point","coordinates":"#
        + #"[\#(number * 12 - 60),\#(number * 5 - 30)]},"properties":\#(properties)}"#
    }
    let stored = await service.store(geoJSON: features)
    #expect(stored["inserted"]?.int == Self.ids.count, "\(stored.text)")
    return service
  }

  private func value(_ json: TestJSON?) -> DecodedTile.Value? {
    json?.string.map { .string($0) } ?? json?.int.map { .integer($0) }
  }

  /// Own properties as names, whichever way these are written.
  private static let own =
    #"{"a":1,"cluster":true,"cluster\u005fid":4,"point_count":7,"point_count_abbreviated":"7","#
    + #""annotation_id":"x","feature_id":"y","Cluster":2,"cluster_id ":3}"#
  private static let kept: Set = ["a", "Cluster", "cluster_id "]

  @Test(arguments: [
    "", "&properties=a,cluster_id,feature_id,Cluster,cluster_id%20", "&decluster=true&minPoints=99",
    "&groupBy=a", "&filter=a%20%3D%201",
  ])
  func `each pin tells its feature, and nothing else by the names of marks`(
    query: String
  ) async throws {
    let service = try await service(Self.own)
    let wanted = Set(try Self.ids.map { try TestJSON(parsing: Array($0.utf8)) }.map(\.text))
    let view = await service.get("\(path)/clusters?bbox=-180,-85,180,85&zoom=6\(query)&f=geojson")
    let tile = await service.get("\(path)/tiles/0/0/0.geojson?cellSize=4\(query)")
    for answer in [view, tile] {
      let features = answer["features"]?.array ?? []
      #expect(Set(features.compactMap { $0["properties"]?["feature_id"]?.text }) == wanted)
      for feature in features {
        let names = feature["properties"]?.members?.map(\.key) ?? []
        #expect(Set(names) == Self.kept.union(["annotation_id", "feature_id"]))
        #expect(names.count == Self.kept.count + 2)
        // Ids of one answer are of one type: here texts, as there are some.
        let own = feature["properties"]?["feature_id"]
        #expect(feature["id"] == (own?.string == nil ? nil : own))
      }
    }
    let points = try DecodedTile(
      await service.get("\(path)/tiles/0/0/0.mvt?cellSize=4\(query)").response.body
    ).points
    let features = tile["features"]?.array ?? []
    #expect(points.count == Self.ids.count && features.count == Self.ids.count)
    for (point, feature) in zip(points, features) {
      #expect(Set(point.tags.keys) == Self.kept.union(["annotation_id", "feature_id"]))
      let own = feature["properties"]?["feature_id"]
      #expect(point.tags["feature_id"] == value(own))
      #expect(
        point.tags["annotation_id"] == value(feature["properties"]?["annotation_id"]))
      let number = own?.int.flatMap { UInt64(exactly: $0) }
      #expect(point.id == number.flatMap { $0 < 1 << 52 ? $0 : nil })
    }
  }

  @Test func `features are given as they are stored`() async throws {
    let service = try await service(Self.own)
    let item = await service.get("\(path)/items/-5")
    #expect(item["properties"]?.text == (try TestJSON(parsing: Array(Self.own.utf8))).text)
    let pins = await service.get("\(path)/pins?bbox=-180,-85,180,85")
    #expect(pins["pins"]?[0]?["feature"]?["properties"]?["feature_id"]?.string == "y")
  }

  @Test func `nothing else replaces the marks of a cluster`() async throws {
    let service = try await service(#"{"a":3}"#)
    let query = #"cellSize=512&aggregate={"point_count":["max","a"],"b":["max","a"]}"#
      .replacing("{", with: "%7B").replacing("}", with: "%7D").replacing("\"", with: "%22")
    let tile = await service.get("\(path)/tiles/0/0/0?\(query)")
    let point = try #require(try DecodedTile(tile.response.body).points.first)
    #expect(point.tags["point_count"] == .integer(Self.ids.count))
    #expect(point.tags["b"] == .integer(3))
    let json = await service.get("\(path)/tiles.json?\(query)")
    let names = json["vector_layers"]?[0]?["fields"]?.members?.map(\.key) ?? []
    #expect(Set(names).count == names.count && names.contains("b"))
  }

  @Test func `the description of tiles tells the marks, not own properties of these names`()
    async throws
  {
    let service = try await service(Self.own)
    func fields() async -> TestJSON? {
      await service.get("\(path)/tiles.json")["vector_layers"]?[0]?["fields"]
    }
    #expect(
      await fields()?.members?.map(\.key) == AnnotationMarks.names + [
        "a", "Cluster", "cluster_id ",
      ])
    #expect(await fields()?["cluster_id"]?.string == "String")
    #expect(await fields()?["feature_id"]?.string == "String")
    for id in ["17a", "-7", "%C3%BC%2F%20%22", "42"] {
      #expect(await service.send(.delete, "\(path)/items/\(id)").status == 204)
    }
    #expect(await fields()?["feature_id"]?.string == "Number")
  }
}
