import ClusterCore
import TestSupport
import Testing

@testable import ClusterAPI
@testable import Collections

/// Which properties features have, told block by block.
@Suite(.timeLimit(.minutes(10))) struct SurveyTests {
  private func feature(_ id: Int, _ generator: inout SeededGenerator) -> TwinFeature {
    var members: [TestJSON.Member] = []
    for _ in 0..<generator.int(0...3) {
      let name = "\(generator.pick(["a", "b", "ä\\", "time"]))\(generator.int(0...id / 500))"
      guard !members.contains(where: { $0.key == name }) else { continue }
      let value: TestJSON = generator.pick([
        .number("1"), .number("1.5"), .string("x"), .string("2020-01-01T00:00:00Z"), .null,
        .bool(true), .array([]), .object([]),
      ])
      members.append(.init(name, value))
    }
    return TwinFeature(
      id, generator.double(-180...180), generator.double(-80...80), TestJSON.object(members).text)
  }

  private func expectSame(_ snapshot: CollectionSnapshot?) throws {
    let snapshot = try #require(snapshot)
    let told = snapshot.surveys.survey(of: snapshot.index)
    let fresh = PropertySurvey(of: snapshot.index)
    #expect(told.properties == fresh.properties && told.isComplete == fresh.isComplete)
    #expect(told.ids == fresh.ids)
    #expect(snapshot.surveys.existing?.properties == fresh.properties)
  }

  @Test(arguments: Seeds.each(1...2))
  func `what is told after writes is what a look at everything tells`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let service = try await Service((0..<4000).map { feature($0, &generator) })
    for _ in 0..<12 {
      if generator.chance(0.8) { try expectSame(service.catalog["c"]) }
      // Several versions may lie between.
      for _ in 0..<generator.int(1...3) {
        let ids = (0..<generator.int(1...40)).map { _ in generator.int(0...4500) }
        if generator.chance(0.3) {
          for id in Set(ids).prefix(3) {
            _ = await service.send(.delete, "/collections/c/items/\(id)")
          }
        } else {
          await service.store(Set(ids).sorted().map { feature($0, &generator) })
        }
      }
    }
    try expectSame(service.catalog["c"])
  }

  /// Only what changed is looked at again.
  @Test func `blocks that stay are not read again`() async throws {
    var generator = SeededGenerator(seed: 3)
    let service = try await Service((0..<9000).map { feature($0, &generator) })
    let first = try #require(service.catalog["c"])
    try expectSame(first)
    await service.store([feature(5, &generator)])
    let second = try #require(service.catalog["c"])
    #expect(second.surveys.existing == nil)
    let kept = second.index.matches(first.index.serials).count { $0 != nil }
    #expect(kept >= 5 && kept < second.index.serials.count)
    try expectSame(second)
    #expect(second.surveys.lookedAt <= 3 * 1024 && first.surveys.lookedAt == 9000)
  }

  @Test func `more properties than are told`() async throws {
    let service = try Service()
    func features(_ from: Int, _ count: Int) -> [TwinFeature] {
      (from..<from + count).map {
        TwinFeature($0, Double($0 % 360) - 180, Double($0 % 70), "{\"p\($0)\":1,\"q\":\($0)}")
      }
    }
    await service.store(features(0, 900))
    try expectSame(service.catalog["c"])
    await service.store(features(900, 3000))
    try expectSame(service.catalog["c"])
    await service.store([TwinFeature(7, 0, 0, "{\"q\":\"x\"}")])
    try expectSame(service.catalog["c"])
  }
}
