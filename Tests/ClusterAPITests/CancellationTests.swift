import ClusterCore
import TestSupport
import Testing
import Threading

@testable import ClusterAPI
@testable import Collections
@testable import HTTPServer

/// Work that must stop ends early, and nothing of it is kept.
@Suite(.timeLimit(.minutes(10))) struct CancellationTests {
  /// Stops at the first look.
  private static let atOnce = Cancellation(mustStop: { true })

  @Test func `a thread that is bound to nothing never stops`() {
    for _ in 0..<1000 { #expect(!Cancellation.poll(1_000_000)) }
    #expect(!Cancellation.isOver)
  }

  @Test func `work with a limit of time stops after it`() {
    var rounds = 0
    let answer: Int? = Cancellation.run(atMost: 3_000_000) {
      while !Cancellation.poll(10_000) { rounds += 1 }
      return rounds
    }
    #expect(answer == nil && rounds > 0 && !Cancellation.isOver)
    #expect(Cancellation.run(atMost: 1_000_000_000) { 7 } == 7)
  }

  @Test func `an error of work that was stopped is no error`() throws {
    struct Wrong: Error {}
    let answer: Int? = try Cancellation.run(atMost: 100_000) {
      while !Cancellation.poll(10_000) {}
      throw Wrong()
    }
    #expect(answer == nil)
    #expect(throws: Wrong.self) { try Cancellation.run(atMost: 1_000_000_000) { throw Wrong() } }
  }

  @Test func `all threads of parallel work stop`() {
    let asked = Locked(0)
    let cancellation = Cancellation(mustStop: {
      asked.withLock {
        $0 += 1
        return $0 > 20
      }
    })
    cancellation.run {
      ParallelWork.run(64) { _ in while !Cancellation.poll(10_000) {} }
      #expect(Cancellation.isOver)
    }
    #expect(cancellation.wasStopped && !Cancellation.isOver)
  }

  @Test func `columns and scopes that were interrupted are made again`() async throws {
    var generator = SeededGenerator(seed: 91)
    let service = try await Service(TwinFeature.cities(6000, using: &generator))
    let collection = try #require(service.catalog["c"]).collection
    let (name, population) = (Array("name".utf8), Array("population".utf8))
    CancellationTests.atOnce.run {
      let column = collection.column(of: name)
      #expect(column.count == 6000 && Cancellation.isOver)
      #expect(collection.keys(of: name).count == 6000)
    }
    #expect(!collection.hasColumn(ColumnName(name)) && !collection.hasKeyColumn(named: name))
    #expect(collection.keys(of: name).keys.count == 6001)

    let filter = try CQL2Filter.atLeast(500)
    _ = collection.column(of: population)
    try CancellationTests.atOnce.run {
      _ = FeatureScope(collection, passing: try collection.filter(filter), near: nil)
      #expect(Cancellation.isOver)
    }
    #expect(!collection.hasCachedScope(filter: filter, groupBy: nil))
    let scope = FeatureScope(collection, passing: try collection.filter(filter), near: nil)
    #expect(scope.count == (0..<6000).count { $0 * 37 % 1001 >= 500 })
  }

  @Test func `a view that is interrupted anywhere leaves nothing wrong behind`() async throws {
    var generator = SeededGenerator(seed: 92)
    let (service, other) = (try Service(), try Service())
    let features = TwinFeature.cities(8000, using: &generator)
    for service in [service, other] { await service.store(features) }
    let viewport =
      "/collections/c/clusters?bbox=-180,-80,180,80&zoom=4.3&members=2&titleProperty=name"
    for more in [
      "", "&groupBy=population", "&countBy=name&weightBy=population", "&filter=population%3E400",
      "&minUniqueLocationsForClustering=3", "&decluster=true&minPoints=4",
    ] {
      let request = HTTPRequest(target: viewport + more)
      guard case .read = try Route.outcome(of: request, from: service.api.resources) else {
        continue
      }
      // Twice asked for, so that cells would be kept.
      for last in [1, 2, 3, 5, 8, 13, 30, 80] {
        guard case .read(_, let again) = try Route.outcome(of: request, from: service.api.resources)
        else { break }
        let looks = Locked(0)
        let cancellation = Cancellation(mustStop: {
          looks.withLock {
            $0 += 1
            return $0 >= last
          }
        })
        _ = try? cancellation.run { try again() }
      }
      let answer = await service.get(viewport + more)
      #expect(answer.text == (await other.get(viewport + more)).text, "\(more)")
    }
  }
}

/// Clients that leave.
extension CancellationTests {
  /// A client that has gone once it was asked for some times.
  private final class Leaver: HTTPRequest.Origin {
    private let most: Int
    private let asked = Locked(0)

    init(after most: Int) { self.most = most }

    var isAbandoned: Bool {
      asked.withLock { asked in
        asked += 1
        return asked > most
      }
    }
    var microseconds: Int { 0 }
    func note(_ change: (inout RequestNotes) -> Void) {}
  }

  @Test func `reading a body ends when its client has left, and nothing of it is stored`()
    async throws
  {
    let service = try Service()
    // Beyond what is read with others' writes.
    let body = Array(("lon,lat\n" + String(repeating: "1,2\n", count: 500_000)).utf8)
    for most in [1, 4, 30] {
      var request = HTTPRequest(
        method: .post, path: "/collections/c/items",
        headers: HTTPHeaders([(name: "Content-Type", value: "text/csv")]), body: RequestBody(body))
      request.origin = Leaver(after: most)
      let sent = request
      let answer = await withCheckedContinuation { continuation in
        service.api.handle(sent) { continuation.resume(returning: Answer(response: $0)) }
      }
      #expect(answer.status == 499, "\(most): \(answer.text)")
    }
    (await service.get("/collections/c")).expectProblem(404)
    try await service.expectAllWriteMemory()
  }
}

/// Filters of the tests.
private enum CQL2Filter {
  static func atLeast(_ population: Int) throws -> FilterExpression {
    let fields = try Fields(query: "filter=population>=\(population)", allowed: ["filter"])
    return try #require(try fields.filter())
  }
}

extension HTTPRequest {
  /// A GET of a target.
  fileprivate init(target: String) {
    let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
    self.init(path: parts[0], query: parts.count > 1 ? parts[1] : nil)
  }
}
