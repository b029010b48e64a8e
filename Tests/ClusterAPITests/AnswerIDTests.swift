import TestSupport
import Testing

@testable import ClusterAPI

/// The ids of one GeoJSON answer are of one JSON type, or left out.
@Suite(.timeLimit(.minutes(10))) struct AnswerIDTests {
  private let path = "/collections/c"
  private let views = [
    "clusters?bbox=-180,-85,180,85&zoom=2", "clusters?bbox=-180,-85,180,85&zoom=2",
    "clusters?bbox=-180,-85,180,85&zoom=4&decluster=true", "clusters?bbox=0,0,90,80&zoom=7",
    "clusters?bbox=-180,-85,180,85&zoom=2&method=distance", "tiles/1/0/0.geojson",
    "clusters?bbox=-180,-85,180,85&zoom=2&countBy=k&hull=true",
  ]

  private func feature(_ id: String, using generator: inout SeededGenerator) -> String {
    let place = "\(generator.int(-30...30) * 5),\(generator.int(-16...16) * 5)"
    return #"{"type":"Feature","id":\#(id),"geometry":{"type":"Point","coordinates":[\#(place)]},"#
      + #""properties":{"k":1}}"#
  }

  /// Checks an answer: with texts among the ids of the collection, all are texts.
  private func check(_ answer: Answer, hasTexts: Bool, _ comment: Comment) {
    #expect(answer.status == 200, comment)
    for feature in answer["features"]?.array ?? [] {
      let properties = feature["properties"]
      let (id, own) = (feature["id"], properties?["feature_id"] ?? properties?["cluster_id"])
      #expect(properties?["annotation_id"]?.string != nil, comment)
      let isCluster = properties?["cluster"]?.bool == true
      #expect(isCluster == (properties?["feature_id"] == nil), comment)
      if isCluster, !hasTexts {
        let number = Array((own?.string ?? "").utf8).withUnsafeBytes {
          ClusterNumber.number(of: $0)
        }
        #expect(id?.int == Int(number) && number >= 1 << 52, "\(comment): \(feature.text)")
      } else {
        let isSame = (own?.string != nil) == hasTexts
        #expect(id == (isSame ? own : nil), "\(comment): \(feature.text)")
      }
    }
  }

  /// As ids of the other form come and go, also where 17 becomes "17"; from caches and without, and of a service that
  /// has just read the store.
  @Test(arguments: Seeds.each(1...4))
  func `integers, texts and both`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let directory = try TemporaryDirectory()
    let service = try Service(of: directory)
    // The form of each id by its number.
    var forms: [Int: Int] = [:]
    var last: [String] = []
    for round in 0..<14 {
      let kinds = generator.pick([[0], [0], [1], [2], [0, 1], [1, 2], [0, 1, 2]])
      let numbers = Set(
        (0..<generator.int(1...(round == 0 ? 300 : 12))).map { _ in generator.int(1...300) })
      let stored = numbers.sorted().map { number -> String in
        let kind = generator.pick(kinds)
        forms[number * 2 + (kind == 2 ? 1 : 0)] = kind
        return feature(["\(number)", "\"\(number)\"", "\"t\(number)\""][kind], using: &generator)
      }
      await service.store(geoJSON: stored)
      if generator.chance(0.6) {
        // All texts of a kind, so that often none is left.
        let kind = generator.int(0...2)
        let gone = forms.filter { $0.value == kind }.keys.sorted()
        let ids = gone.map { kind == 2 ? "t\($0 / 2)" : "\($0 / 2)" }.joined(separator: ",")
        if !gone.isEmpty { _ = await service.send(.delete, "\(path)/items?ids=\(ids)") }
        for key in gone { forms[key] = nil }
      }
      let hasTexts = forms.values.contains { $0 != 0 }
      last = []
      for view in views {
        let target = "\(path)/\(view)" + (view.contains("geojson") ? "" : "&f=geojson")
        let answer = await service.get(target)
        check(answer, hasTexts: hasTexts, "round \(round): \(view)")
        last.append(answer.text)
      }
      let plain = await service.get("\(path)/\(views[0])")
      if let cluster = plain.annotations.first(where: { $0["isCluster"]?.bool == true }) {
        let children = "\(path)/clusters/\(cluster["id"]?.string ?? "")/children?f=geojson"
        check(await service.get(children), hasTexts: hasTexts, "round \(round): \(children)")
      }
    }
    service.writer.close()
    guard Service.postgres == nil else { return }
    let other = try Service(of: directory)
    for (view, text) in zip(views, last) {
      let target = "\(path)/\(view)" + (view.contains("geojson") ? "" : "&f=geojson")
      let answer = await other.get(target)
      #expect(answer.unnumbered == text.leavingOutNumbers(after: ["\"version\":"]), "\(view)")
    }
  }
}

extension Answer {
  /// The text without the version.
  fileprivate var unnumbered: String { text.leavingOutNumbers(after: ["\"version\":"]) }
}
