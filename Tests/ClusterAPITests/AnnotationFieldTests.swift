import ClusterCore
import TestSupport
import Testing

@testable import ClusterAPI

/// `fields`: every answer is the full one without the members that it leaves out.
@Suite(.timeLimit(.minutes(10))) struct AnnotationFieldTests {
  private static let names = AnnotationFields.names.map(\.key)
  private static let path = "/collections/c/clusters"

  /// Each name alone, none, and random ones, some of them twice.
  private static func lists(using generator: inout SeededGenerator) -> [[String]] {
    let some = (0..<8).map { _ in
      let chosen = names.filter { _ in generator.chance(0.4) }
      return (chosen + chosen.filter { _ in generator.chance(0.2) }).shuffled(using: &generator)
    }
    return names.map { [$0] } + [[], names.reversed()] + some
  }

  /// Asks for each list of names by POST and GET in both forms, and compares with the full answer.
  private func check(
    _ request: TwinRequest, _ lists: [[String]], _ service: Service, _ comment: String
  ) async -> [TestJSON] {
    var annotations: [TestJSON] = []
    let request = request.json.adding("hull", .bool(true)).adding("expansion", .bool(true))
    for form in ["json", "geojson"] {
      let path = "\(Self.path)?f=\(form)"
      let full = await service.post(path, request.text)
      guard full.status == 200 else { return [] }
      if form == "json" { annotations = full.annotations }
      for list in lists {
        let body = request.adding("fields", .array(list.map { .string($0) }))
        let answer = await service.post(path, body.text)
        let wanted = full.json.choosing(list)
        #expect(answer.text == wanted.text, "\(form) \(list) \(comment)")
        let get = await service.get("\(path)&\(TwinRequest.query(body))")
        #expect(get.text == answer.text, "\(form) \(list) \(comment)")
      }
    }
    return annotations
  }

  @Test(arguments: [TwinDataset.cities, .coincident, .mixed], TwinRequest.Method.allCases)
  func `an answer is the full one without what is left out`(
    data: TwinDataset, method: TwinRequest.Method
  ) async throws {
    let pair = try await Paired(data.features(seed: 351, count: 120))
    var generator = SeededGenerator(seed: 352)
    let all = Self.lists(using: &generator)
    var seen: Set<String> = []
    for round in 0..<6 {
      var request = TwinRequest.random(over: pair.twin, using: &generator)
      request.varyStatistics(over: pair.twin, using: &generator)
      request.varyGroups(using: &generator)
      request.rect = .bbox(west: -180, south: -85, east: 180, north: 85)
      (request.scale, request.cellSize) = (.zoom(Double(round)), 256)
      (request.filter, request.limit) = (nil, 10_000)
      if round % 2 == 0 { (request.weightBy, request.countBy) = ("population", "country") }
      if round == 1 { (request.decluster, request.maxZoomLevelForClustering) = (true, 0) }
      if round == 3 { (request.members, request.titleProperty) = (2, "name") }
      if round == 4 { (request.groupBy, request.groups) = ("country", []) }
      if method != .grid { request.use(method, using: &generator) }
      let lists = (0..<2).map { _ in generator.pick(all) } + (round == 0 ? all : [])
      let comment = "\(data) \(method) \(round): \(request.json.text)"
      let shown = await check(request, lists, pair.service, comment)
      request.previous = shown.compactMap { TwinPrevious(answered: $0) }.filter { _ in
        generator.chance(0.7)
      }
      let reused = await check(request, lists, pair.service, comment)
      for one in shown + reused { seen.formUnion((one.members ?? []).map(\.key)) }
    }
    let gridOnly: Set = method == .grid ? [] : ["originalCoordinate", "contested"] as Set<String>
    // No two features of `mixed` need be declustered, say; the other data sets have all members.
    if data == .coincident { #expect(seen.isSuperset(of: Set(Self.names).subtracting(gridOnly))) }
  }

  @Test func `what else shows annotations takes fields, too`() async throws {
    let features = TwinDataset.cities.features(seed: 353, count: 120)
    let service = try await Service(features)
    var generator = SeededGenerator(seed: 354)
    let output =
      #""members":2,"titleProperty":"name","countBy":"country","weightBy":"population","hull":true"#
      + #","expansion":true"#
    let view =
      #"{"latitudinalMeters":90000,"longitudinalMeters":90000,"viewportWidth":400,"viewportHeight":300"#
    let query = TwinRequest.query(try TestJSON(parsing: "{\(output)}"))
    let all = await service.get("\(Self.path)?bbox=-180,-85,180,85&zoom=1&cellSize=512")
    let ids = all.annotations.map { $0["id"]?.string ?? "" }.prefix(4)
    for list in Self.lists(using: &generator) {
      let fields = "fields=\(list.joined(separator: ","))"
      let array = TestJSON.array(list.map { .string($0) }).text
      for id in ids {
        for target in ["", "/children", "/children?f=geojson"] {
          let base = "\(Self.path)/\(id)\(target)\(target.contains("?") ? "&" : "?")\(query)"
          let full = await service.get(base)
          let answer = await service.get("\(base)&\(fields)")
          #expect(answer.status == full.status)
          if full.status == 200 { #expect(answer.text == full.json.choosing(list).text, "\(base)") }
        }
      }
      let id = TwinRequest.percentEncoded(generator.pick(features).id.description)
      let locate = "/collections/c/items/\(id)/locate"
      let full = await service.post(locate, "\(view),\(output)}")
      let answer = await service.post(locate, "\(view),\(output),\"fields\":\(array)}")
      #expect(full.status == 200 && answer.text == full.json.choosing(list).text)
      let pins = #"{"bbox":[-180,-85,180,85],"limit":10000"#
      let plain = await service.post("/collections/c/pins", "\(pins)}")
      let chosen = await service.post("/collections/c/pins", "\(pins),\"fields\":\(array)}")
      #expect(plain.status == 200 && chosen.text == plain.text)
    }
  }

  @Test func `cells with and without fields are kept apart`() async throws {
    let service = try await Service(TwinDataset.cities.features(seed: 355, count: 200))
    let view = "\(Self.path)?bbox=-180,-85,180,85&zoom=3&countBy=country"
    let full = await service.get(view)
    for _ in 0..<4 {
      for list in [["count"], [], ["count", "title"], ["title", "id", "count", "count"]] {
        let answer = await service.get("\(view)&fields=\(list.joined(separator: ","))")
        #expect(answer.text == full.json.choosing(list).text)
        #expect(await service.get(view).text == full.text)
      }
      #expect(
        await service.get("\(view)&fields=\(Self.names.joined(separator: ","))").text == full.text)
    }
    #expect(service.cells.counts.cached > 0)
  }

  @Test func `order and repetition don't make another key of the cache`() throws {
    func options(_ list: [String]?) throws -> CellOptions {
      let text = list.map { "&fields=\($0.joined(separator: ","))" } ?? ""
      let allowed = ViewportField.names(.clusters)
      let fields = try Fields(query: "bbox=0,0,9,9&zoom=3\(text)", allowed: allowed)
      return try ViewportRequest(fields).values.cell
    }
    #expect(try options(["count", "title"]) == options(["title", "id", "count", "title"]))
    #expect(try options(nil) == options(Self.names))
    #expect(try options(nil) != options(["count"]))
    #expect(try options(["count"]) != options([]))
  }

  @Test func `a name that is unknown is named by its index`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    let view = #"{"bbox":[0,0,9,9],"zoom":3,"fields":"#
    for path in [Self.path, "/collections/c/pins"] {
      (await service.post(path, view + #"["id","count","title","Count"]}"#))
        .expectProblem(400, at: "/fields/3")
      (await service.post(path, view + #"["id",3]}"#)).expectProblem(400, at: "/fields/1")
      let most = Array(repeating: "\"id\"", count: 1000).joined(separator: ",")
      #expect(await service.post(path, view + "[\(most)]}").status == 200)
      (await service.post(path, view + "[\(most),\"id\"]}")).expectProblem(422, at: "/fields")
    }
    (await service.get("\(Self.path)?bbox=0,0,9,9&zoom=3&fields=id,nope"))
      .expectProblem(400, at: "fields")
  }
}

extension TestJSON {
  /// An object with one more member.
  fileprivate func adding(_ name: String, _ value: TestJSON) -> TestJSON {
    .object((members ?? []) + [Member(name, value)])
  }

  /// A full answer as it is with `fields`: of annotations, wherever they are, only the named members.
  fileprivate func choosing(_ names: [String]) -> TestJSON {
    // An answer about one annotation has members that `fields` doesn't concern.
    if self["isCluster"] != nil {
      return keeping(names + ["id", "reuses", "expansionZoom", "visibleMapRect"])
    }
    return .object(
      (members ?? []).map { member in
        switch member.key {
        case "annotations", "features":
          Member(member.key, .array(member.value.array?.map { $0.choosingInOne(names) } ?? []))
        case "annotation" where !member.value.isNull:
          Member(member.key, member.value.choosingInOne(names))
        default: member
        }
      })
  }

  /// An annotation of an answer.
  private func choosingInOne(_ names: [String]) -> TestJSON {
    self["type"] == "Feature" ? choosingInFeature(names) : keeping(names + ["id", "reuses"])
  }

  private func choosingInFeature(_ names: [String]) -> TestJSON {
    let supercluster = [
      "cluster", "cluster_id", "point_count", "point_count_abbreviated", "id", "annotation_id",
    ]
    return .object(
      (members ?? []).map { member in
        switch member.key {
        case "annotation": Member(member.key, member.value.keeping(names + ["reuses"]))
        case "properties" where self["annotation"] == nil:
          Member(member.key, member.value.keeping(names + ["reuses"] + supercluster))
        case "properties" where !names.contains("feature"):
          Member(member.key, member.value.keeping(["annotation_id", "feature_id"]))
        default: member
        }
      })
  }

  private func keeping(_ names: [String]) -> TestJSON {
    .object((members ?? []).filter { names.contains($0.key) })
  }
}
