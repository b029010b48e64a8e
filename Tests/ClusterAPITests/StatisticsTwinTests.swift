import ClusterCore
import TestSupport
import Testing

/// Groups, statistics and filters of the grid, against the brute force.
@Suite(.timeLimit(.minutes(10))) struct StatisticsTwinTests {
  @Test(arguments: TwinDataset.allCases)
  func `grouped, weighted, counted and filtered views are those of the twin`(data: TwinDataset)
    async throws
  {
    let pair = try await Paired(data.features(seed: 301, count: 220))
    var generator = SeededGenerator(seed: 302)
    var names = TwinNames()
    var answered = 0
    for round in 0..<16 {
      var request = TwinRequest.random(over: pair.twin, using: &generator)
      request.varyStatistics(over: pair.twin, using: &generator)
      request.varyGroups(using: &generator)
      let comment: Comment = "\(data), round \(round): \(request.json.text)"
      guard let (answer, wanted) = await pair.view(request, comment) else { continue }
      answered += 1
      #expect(names.learn(answer.json, wanted) == [], comment)
    }
    #expect(answered > 8)
    #expect(pair.service.reports.withLock { $0 } == [])
  }

  @Test(arguments: TwinDataset.allCases)
  func `groups and counts add up to the plain view`(data: TwinDataset) async throws {
    let pair = try await Paired(data.features(seed: 303, count: 220))
    var generator = SeededGenerator(seed: 304)
    var answered = 0
    for round in 0..<8 {
      var request = TwinRequest.random(over: pair.twin, using: &generator)
      request.limit = 10_000
      if generator.chance(0.5) {
        request.filter = TwinFilter.random(over: pair.twin, using: &generator)
      }
      request.countBy = "country"
      let comment: Comment = "\(data), round \(round): \(request.json.text)"
      let plain = await pair.service.post("/collections/c/clusters", request.json.text)
      request.groupBy = "country"
      let grouped = await pair.service.post("/collections/c/clusters", request.json.text)
      #expect(plain.status == grouped.status, comment)
      guard plain.status == 200, grouped.status == 200 else { continue }
      answered += 1
      #expect(plain["featureCount"] == grouped["featureCount"], comment)
      var (byCount, byGroup): ([TwinKey: Int], [TwinKey: Int]) = ([:], [:])
      for one in plain.annotations + grouped.annotations {
        let counts = (one["counts"]?.members ?? []).compactMap { $0.value.int }
        #expect(counts.reduce(one["otherCount"]?.int ?? -1, +) == one.count, comment)
      }
      for one in plain.annotations {
        for member in one["counts"]?.members ?? [] {
          byCount[TwinKey(member.key), default: 0] += member.value.int ?? -1
        }
      }
      for one in grouped.annotations {
        byGroup[TwinKey(one["group"]?.string ?? "null"), default: 0] += one.count
        #expect(one["counts"]?.members?.count == 1, comment)
      }
      // Here the string "null" and the missing ones are two groups and one count.
      #expect(byCount == byGroup, comment)
      let total = plain.annotations.reduce(0) { $0 + $1.count }
      #expect(total == plain["featureCount"]?.int, comment)
    }
    #expect(answered > 2)
  }

  @Test(arguments: [TwinDataset.cities, .coincident, .gridLines, .mixed])
  func `the address of a grouped and filtered cluster leads to its features and children`(
    data: TwinDataset
  ) async throws {
    let pair = try await Paired(data.features(seed: 305, count: 160))
    var generator = SeededGenerator(seed: 306)
    var looked = 0
    for _ in 0..<8 {
      var request = TwinRequest.random(over: pair.twin, using: &generator)
      request.varyStatistics(over: pair.twin, using: &generator)
      (request.keepApart, request.decluster, request.limit) = ([], false, 10_000)
      request.groupBy = generator.pick(["kind", "country"])
      guard let wanted = try? pair.twin.cluster(request) else { continue }
      let view = await pair.service.post("/collections/c/clusters", request.json.text)
      let output = TwinRequest.query(request.json.without(Self.viewFields))
      for (one, twin) in zip(view.annotations, wanted.annotations).prefix(10) {
        looked += 1
        await check(one, twin, request, output, pair)
      }
    }
    #expect(looked > 10)
  }

  /// What only a viewport has.
  private static let viewFields: Set = [
    "bbox", "visibleMapRect", "region", "zoom", "viewportWidth", "cellSize", "marginFactor",
    "groupBy", "groups", "limit",
  ]

  private func check(
    _ one: TestJSON, _ twin: TwinAnnotation, _ request: TwinRequest, _ output: String,
    _ pair: Paired
  ) async {
    let path = "/collections/c/clusters/\(one["id"]?.string ?? "")"
    let comment: Comment = "\(path)?\(output)"
    let answer = await pair.service.get("\(path)?\(output)")
    #expect(answer.status == 200, comment)
    for member in one.members ?? [] { #expect(answer[member.key] == member.value, comment) }
    let zoom = pair.twin.expansionZoom(of: twin, request)
    #expect(answer["expansionZoom"] == zoom.map { .number(String($0)) } ?? .null, comment)
    let items = await pair.service.get("\(path)/items?limit=10000&\(output)")
    #expect(items.ids == twin.features.map(\.idJSON.text), comment)
    guard let zoom, twin.kind == .cell else { return }
    let answered = await pair.service.get("\(path)/children?\(output)")
    let wanted = Twin.children(
      of: twin.features, zoomLevel: Double(zoom), request, group: twin.group)
    #expect(answered.annotations.count == wanted.count, comment)
    #expect(answered.annotations.reduce(0) { $0 + $1.count } == twin.count, comment)
    for (child, want) in zip(answered.annotations, wanted) {
      #expect(want.differences(from: child) == [], comment)
    }
  }
}
