import ClusterCore
import TestSupport
import Testing

/// What an annotation looks like, in both forms.
@Suite(.timeLimit(.minutes(10))) struct AnnotationFormTests {
  private static let five = [
    TwinFeature(1, 10, 10, #"{"name":"a \"q\" é","n":1.50,"z":null}"#),
    TwinFeature(2, 10.0001, 10, #"{"n":2,"name":null}"#),
    TwinFeature(3, 10.0002, 10, #"{"name":7e2,"b":[1,{"c":"d"}]}"#),
    TwinFeature(4, 10.0003, 10, #"{"name":["x\"y"]}"#),
    TwinFeature(5, 50, 50, #"{"name":"alone","id":9}"#),
  ]

  private func view(_ more: String) -> String {
    #"{"bbox":[0,0,60,60],"zoom":3,"cellSize":64\#(more)}"#
  }

  @Test func `titles, members and properties are as asked for`() async throws {
    let service = try await Service(Self.five)
    func annotations(_ more: String) async -> (cluster: TestJSON?, pin: TestJSON?) {
      let answer = await service.post("/collections/c/clusters", view(more))
      let all = answer["annotations"]?.array ?? []
      return (
        all.first { $0["isCluster"]?.bool == true }, all.first { $0["isCluster"]?.bool == false }
      )
    }
    let order = Twin.indexOrder(Array(Self.five.prefix(4)))
    let texts: [FeatureID: String] = [
      FeatureID(known: 1): "a \"q\" é", FeatureID(known: 3): "7e2",
      FeatureID(known: 4): #"["x\"y"]"#,
    ]
    var (cluster, pin) = await annotations("")
    #expect(cluster?["title"]?.string == "4 annotations" && cluster?["subtitle"]?.isNull == true)
    #expect(pin?["title"]?.string == "1 annotation" && pin?["subtitle"]?.isNull == true)
    #expect(cluster?["members"] == nil && cluster?["feature"] == nil)
    #expect(pin?["feature"]?.text == #"{"id":5,"properties":{"name":"alone","id":9}}"#)
    (cluster, pin) = await annotations(#","titleProperty":"name""#)
    let wanted = order.compactMap { texts[$0.id] }
    #expect(cluster?["subtitle"]?.string == wanted.joined(separator: ", "))
    #expect(pin?["title"]?.string == "alone" && pin?["subtitle"]?.isNull == true)
    (cluster, _) = await annotations(#","titleProperty":"name","subtitleLimit":2"#)
    #expect(cluster?["subtitle"]?.string == wanted.prefix(2).joined(separator: ", "))
    (cluster, pin) = await annotations(#","members":3,"properties":["n","absent"]"#)
    let members = cluster?["members"]?.array ?? []
    #expect(members.map { $0["id"] } == order.prefix(3).map(\.idJSON))
    for (member, feature) in zip(members, order) {
      #expect(member.isCoordinate(of: feature.coordinate))
      let number = feature.property("n")
      #expect(member["properties"]?.text == (number.map { "{\"n\":\($0.text)}" } ?? "{}"))
    }
    #expect(pin?["feature"]?["properties"]?.text == "{}" && pin?["members"] == nil)
    (_, pin) = await annotations(#","properties":"none""#)
    #expect(pin?["feature"]?["properties"]?.text == "{}")
    (cluster, _) = await annotations(#","members":100,"properties":"*""#)
    #expect(
      cluster?["members"]?.array?.map { $0["properties"]?.text ?? "" }
        == order.map { $0.properties ?? "" })
  }

  @Test func `GeoJSON has Supercluster's names for clusters, and pins are their features`()
    async throws
  {
    let service = try Service()
    let odd = TwinFeature(
      6, 40, 5,
      #"{"cluster":true,"cl\u0075ster_id":4,"point_count":9,"point_count_abbreviated":"9","#
        + #""annotation_id":"x","feature_id":"y","k":1}"#)
    await service.store(Self.five + [odd] + (0..<1240).map { TwinFeature(100 + $0, 30, 30) })
    let plain = await service.post("/collections/c/clusters", view(#","members":2"#))
    let answer = await service.post("/collections/c/clusters?f=geojson", view(#","members":2"#))
    #expect(answer.type == "application/geo+json" && answer["type"]?.string == "FeatureCollection")
    for name in [
      "zoomLevel", "cellMapSize", "cellsPerWorld", "gridRect", "featureCount", "version",
    ] {
      #expect(answer[name] == plain[name] && answer[name] != nil)
    }
    let (features, annotations) = (
      answer["features"]?.array ?? [], plain["annotations"]?.array ?? []
    )
    #expect(features.count == annotations.count && features.count == 4)
    let common = [
      "coordinate", "count", "isCluster", "isUniqueLocation", "bbox", "title", "subtitle",
    ]
    for (feature, annotation) in zip(features, annotations) {
      #expect(
        feature["type"]?.string == "Feature" && feature["geometry"]?["type"]?.string == "Point")
      let point = feature["geometry"]?["coordinates"]
      #expect(
        point?[0] == annotation["coordinate"]?["longitude"]
          && point?[1] == annotation["coordinate"]?["latitude"])
      let properties = feature["properties"]
      if annotation["isCluster"]?.bool == true {
        #expect(
          properties?["cluster"]?.bool == true && properties?["cluster_id"] == annotation["id"])
        #expect(properties?["point_count"] == annotation["count"])
        let count = annotation["count"]?.int ?? 0
        #expect(
          properties?["point_count_abbreviated"]
            == (count == 1240 ? "1.2k" : .number(String(count))))
        for name in common + ["members"] { #expect(properties?[name] == annotation[name]) }
      } else {
        #expect(feature["id"] == annotation["feature"]?["id"])
        #expect(properties?["annotation_id"] == annotation["id"])
        #expect(properties?["feature_id"] == feature["id"])
        #expect(properties?["cluster"] == nil && properties?["point_count"] == nil)
        for name in common { #expect(feature["annotation"]?[name] == annotation[name]) }
      }
    }
    let lone = features.first { $0["id"]?.int == 5 }?["properties"]?.members?.map(\.key)
    #expect(lone == ["name", "id", "annotation_id", "feature_id"])
    let oddPin = features.first { $0["id"]?.int == 6 }
    #expect(oddPin?["properties"]?.members?.map(\.key) == ["k", "annotation_id", "feature_id"])
    #expect(oddPin?["properties"]?["feature_id"]?.int == 6)
  }
}
