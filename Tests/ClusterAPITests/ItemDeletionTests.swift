import ClusterCore
import TestSupport
import Testing
import Threading

@testable import ClusterAPI
@testable import Collections

/// Deletions by a filter that takes long, while others write.
@Suite(.timeLimit(.minutes(10))) struct ItemDeletionTests {
  private func deletion(
    _ query: String, at service: Service
  ) throws -> ItemDeletion {
    let fields = try Fields(query: query, allowed: ["bbox"] + Fields.filterNames)
    return ItemDeletion(
      view: CatalogView(service.catalog), id: "c",
      features: FeatureDeletion(
        passing: try fields.filter().narrowed(to: try fields.onlyIDs()), in: try fields.region(),
        at: nil), limits: service.writer.limits)
  }

  /// Has the writer carry out a write.
  private func perform(_ request: WriteRequest, at service: Service) throws -> Answer {
    let share = try #require(service.writer.memory.share(of: request.write.bytes, for: 0))
    defer { share.giveBack() }
    let outcome = Result { try service.writer.perform(request.write, share) }
    return Answer(response: try request.response(to: outcome).get())
  }

  private func feature(_ id: Int, using generator: inout SeededGenerator) -> String {
    let id = generator.int(0...9) == 0 ? "\"id\":\(generator.int(1...5))," : ""
    return
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#(generator.int(-180...179)),"#
      + #"\#(generator.int(-80...80))]},"properties":{\#(id)"k":\#(generator.int(0...9)),"#
      + #""t":"\#(generator.pick(["anna", "bob", "carl_", "d%e"]))"}}"#
  }

  @Test(
    "what was found before the turn is what passes at the turn", arguments: Seeds.each(1...3))
  func found(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let service = try Service()
    let features = (0..<1500).map { id in
      feature(id, using: &generator).replacing(
        #"{"type":"Feature","#, with: #"{"type":"Feature","id":\#(id),"#)
    }
    await service.store(geoJSON: features)
    let queries = [
      "filter=k%20IN%20(1,2,3)%20AND%20t%20LIKE%20'%25n%25'", "filter=k=7&bbox=-60,-40,60,40",
      "filter=t%20LIKE%20'carl%5C_'", "filter=id%3C3", "filter=id%20IN%20(1,2,3,4,5)%20OR%20k=4",
      "filter=k=5%20OR%20t%20IS%20NULL", "bbox=-10,-40,10,40",
    ]
    for round in 0..<20 {
      let query = generator.pick(queries)
      let deletion = try deletion(query, at: service)
      let looks = generator.int(0...2)
      var write = deletion.write()
      for _ in 0..<looks {
        let again = try #require(write.again)
        write = try again()
        for _ in 0..<generator.int(0...10) {
          let id = generator.int(0...1600)
          let item = "/collections/c/items/\(id)"
          switch generator.int(0...3) {
          case 0: _ = await service.send(.delete, item)
          case 1:
            _ = await service.send(
              .patch, item, #"{"properties":{"k":\#(generator.int(0...9)),"t":"bob"}}"#)
          default: _ = await service.send(.put, item, feature(id, using: &generator))
          }
        }
      }
      let all = await service.get("/collections/c/items?limit=10000").ids
      let wanted = await service.get("/collections/c/items?limit=10000&\(query)").ids
      let answer = try perform(write, at: service)
      #expect(answer["deleted"]?.int == wanted.count, "\(query), round \(round), \(looks) looks")
      let left = await service.get("/collections/c/items?limit=10000").ids
      #expect(left == all.filter { !wanted.contains($0) }, "\(query), round \(round)")
    }
  }

  @Test("a filter that takes long is decided before the writer's turn") func long() async throws {
    var generator = SeededGenerator(seed: 4)
    let service = try Service()
    // Texts that all differ, and patterns that each look at all of each.
    let features = (1...4000).map { id in
      let text = String(repeating: "ab\(generator.int(0...9))", count: 40)
      return #"{"type":"Feature","id":\#(id),"geometry":{"type":"Point","coordinates":[1,2]},"#
        + #""properties":{"t":"\#(text)\#(id)"}}"#
    }
    await service.store(geoJSON: features)
    let patterns = (0..<7).map { "t%20LIKE%20'%25_b\($0)_a_z%25'" } + ["t%20LIKE%20'%25b_3999'"]
    let query = "filter=" + patterns.joined(separator: "%20OR%20")
    var deletion = try deletion(query, at: service)
    deletion.features.turn = 60_000
    #expect(throws: CollectionsError.outdated) { try perform(deletion.write(), at: service) }
    // The last turn is answered, too.
    let last = deletion.write(attempts: 1)
    #expect(last.again == nil)
    let problem = Problem.from(CollectionsError.outdated, bodyFields: false)
    #expect(throws: CollectionsError.outdated) { try perform(last, at: service) }
    #expect(problem.status == 503)
    #expect(service.catalog["c"]?.index.count == 4000)
    // A write that comes after the look and before the turn counts.
    let held = HeldWriter(service)
    let put = Locked<Answer?>(nil)
    service.begin(
      .put, "/collections/c/items/new", features[3998].replacing(#""id":3999,"#, with: "")
    ) { got in
      put.withLock { $0 = got }
    }
    let answer = Locked<Answer?>(nil)
    service.begin(.delete, "/collections/c/items?\(query)") { got in
      answer.withLock { $0 = got }
    }
    while service.writer.waitingWrites < 2 { try await Task.sleep(for: .milliseconds(5)) }
    held.release()
    while answer.value == nil { try await Task.sleep(for: .milliseconds(5)) }
    #expect(put.value?.status == 201)
    #expect(answer.value?.text == #"{"deleted":2}"#, "\(answer.value?.text ?? "")")
    #expect(await service.get("/collections/c/items/new").status == 404)
  }
}
