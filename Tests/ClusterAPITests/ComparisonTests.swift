import ClusterCore
import TestSupport
import Testing
import Threading

@testable import ClusterAPI
@testable import Collections
@testable import FeatureStore

/// Comparisons of what services show with the database that they share.
@Suite(
  .enabled(if: Service.postgres != nil, "PINCLUSTER_TEST_POSTGRES names no database"),
  .timeLimit(.minutes(10)))
struct ComparisonTests {
  /// Somebody who edits tables by hand.
  private struct Editor {
    let connection: PostgresConnection

    init(of service: Service) throws {
      let address = try PostgresAddress(Service.postgres ?? "")
      connection = try PostgresServers(
        .init(address: address, schema: Service.schema(of: service.directory.path))
      ).connect()
    }

    func run(_ sql: String) throws -> [PostgresResult] {
      try connection.run([PostgresStatement("by hand \(sql)", sql).with()])
    }
  }

  /// A feature with a name for one of three ids, an altitude or none, and perhaps an end.
  private static func feature(_ number: Int, _ generator: inout SeededGenerator) -> String {
    let id = ["\(number)", "\"\(number)\"", "\"n\(number)'é\""][number % 3]
    let altitude = ["", ",0", ",-1.5,7"][generator.int(0...2)]
    let (x, y) = (generator.int(-180...180), generator.int(-90...90))
    let name = String(repeating: "ä\u{1F600}", count: generator.int(0...9))
    let expires =
      generator.int(0...3) > 0
      ? "" : #","expires":"\#(2030 + generator.int(0...40))-01-01T00:00:00Z""#
    return
      #"{"type":"Feature","id":\#(id)\#(expires),"geometry":{"type":"Point","coordinates":[\#(x),\#(y)\#(altitude)]},"#
      + #""properties":{"name":"\#(name)","n":\#(generator.int(0...99))}}"#
  }

  private static func compare(_ service: Service, _ collection: String = "c") throws
    -> StoreComparison?
  {
    guard let shared = service.writer.shared, let snapshot = service.catalog[collection] else {
      return nil
    }
    return try shared.comparer(of: snapshot.info, snapshot.index)()
  }

  @Test("services that follow each other's writes are never accused") func healthy() async throws {
    let first = try Service()
    let second = try Service(sharing: first)
    let isOver = Locked(false)
    async let writing: Void = withTaskGroup(of: Void.self) { group in
      for (number, service) in [first, second, first, second].enumerated() {
        group.addTask {
          var generator = SeededGenerator(seed: UInt64(number) + 1)
          while !isOver.withLock({ $0 }) {
            switch generator.int(0...5) {
            case 0:
              _ = await service.send(
                .delete, "/collections/c/items/\(3 * generator.int(0...100))")
            case 1:
              _ = await service.send(
                .patch, "/collections/c/items/\(3 * generator.int(0...100))",
                #"{"properties":{"n":\#(generator.int(0...99))}}"#)
            default:
              let features = (0..<generator.int(1...20)).map { _ in
                ComparisonTests.feature(generator.int(0...300), &generator)
              }
              await service.store(geoJSON: features)
            }
          }
        }
      }
    }
    var (compared, versions) = (0, Set<Int64>())
    let deadline = MonotonicTime.now + 30_000_000_000
    while compared < 60, MonotonicTime.now < deadline {
      try await Task.sleep(for: .milliseconds(5))
      guard let comparison = try ComparisonTests.compare([first, second][compared % 2]) else {
        continue
      }
      compared += 1
      versions.insert(comparison.info.version)
      #expect(comparison.isSame, "\(comparison)")
    }
    isOver.withLock { $0 = true }
    await writing
    // They wrote meanwhile.
    #expect(compared == 60 && versions.count > 5, "\(versions)")
  }

  @Test("a change by hand of any column is found, and -0 is 0") func columns() async throws {
    let service = try Service()
    var generator = SeededGenerator(seed: 16)
    let features = (0..<30).map { number in
      number == 9
        ? #"{"type":"Feature","id":9,"geometry":{"type":"Point","coordinates":[0,0]},"properties":{}}"#
        : ComparisonTests.feature(number, &generator)
    }
    await service.store(geoJSON: features)
    let editor = try Editor(of: service)
    _ = try editor.run("CREATE TABLE kept AS SELECT * FROM features")
    let (number, name) = (try FeatureID(integer: 9), try FeatureID(text: "n11'é".utf8))
    let (ofNumber, ofName) = ("number = 9", "name = 'n11''é'")
    let edits: [(row: String, edit: String, features: Set<FeatureID>)] = [
      (ofNumber, "longitude = '-0', latitude = '-0', further = ''", []),
      (ofNumber, "longitude = 1e-300", [number]),
      (ofNumber, "latitude = 1e-300", [number]),
      (ofNumber, "further = float8send(0)", [number]),
      (ofNumber, "further = float8send(5) || float8send(6)", [number]),
      (ofNumber, "properties = properties || ' '", [number]),
      (ofNumber, "expires = 4000000000000", [number]),
      (ofNumber, "written_as_text = NOT written_as_text", [number]),
      (ofNumber, "number = 1000", [number, try FeatureID(integer: 1000)]),
      (ofName, "properties = replace(properties, '\"n\"', '\"m\"')", [name]),
      (ofName, "name = 'n11''e'", [name, try FeatureID(text: "n11'e".utf8)]),
    ]
    for (row, edit, features) in edits {
      _ = try editor.run("UPDATE features SET \(edit) WHERE \(row)")
      let comparison = try #require(try ComparisonTests.compare(service))
      #expect(Set(comparison.features) == features && comparison.isComplete, "\(edit)")
      _ = try editor.run("DELETE FROM features")
      _ = try editor.run("INSERT INTO features SELECT * FROM kept")
    }
    #expect(try ComparisonTests.compare(service)?.isSame == true)
  }

  private func eventually(_ comment: Comment, _ condition: () async throws -> Bool) async throws {
    // Comparisons are on threads of low priority, which a compiler beside them starves.
    let deadline = MonotonicTime.now + 240_000_000_000
    while MonotonicTime.now < deadline {
      if try await condition() { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record(comment)
  }

  private static func drifts(of services: [Service]) -> [String] {
    services.flatMap { service in
      service.events.withLock { $0 }.compactMap { event in
        guard case .drift(_, _, let features, _, _) = event else { return nil }
        return features.map(\.description).joined(separator: ",")
      }
    }
  }

  @Test("rows that were changed by hand are found and shown, by all services") func edited()
    async throws
  {
    let first = try Service(comparisonInterval: 0.1)
    let second = try Service(sharing: first)
    var generator = SeededGenerator(seed: 3)
    let features = (0..<300).map { ComparisonTests.feature($0, &generator) }
    await first.store(geoJSON: features)
    let editor = try Editor(of: first)
    _ = try editor.run("CREATE TABLE kept AS SELECT * FROM features WHERE number = 3")
    let other =
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"n":"new"}}"#
    let put = await first.send(.put, "/collections/c/items/3", other)
    #expect(put.status == 204 || put.status == 200, "\(put.text)")
    let version = first.catalog["c"]?.info.version ?? 0
    // A row as it was before, one that is gone, and one that wasn't there.
    _ = try editor.run(
      """
      UPDATE features AS f SET (longitude, latitude, further, properties, expires, checksum, written_as_text)
        = (SELECT k.longitude, k.latitude, k.further, k.properties, k.expires, k.checksum, k.written_as_text FROM kept AS k)
      WHERE f.number = 3
      """)
    _ = try editor.run("DELETE FROM features WHERE number = 6")
    for service in [first, second] {
      try await eventually("the edit is shown") {
        let kept = await service.get("/collections/c/items/3")
        let gone = await service.get("/collections/c/items/6")
        return kept.status == 200 && !kept.text.contains("new") && gone.status == 404
      }
      let comparison = try #require(try ComparisonTests.compare(service))
      #expect(comparison.isSame && (service.catalog["c"]?.info.version ?? 0) > version)
    }
    let found = Set(ComparisonTests.drifts(of: [first]).flatMap { $0.split(separator: ",") })
    #expect(found == ["3", "6"])
    #expect(first.writer.link?.counts.drifts ?? 0 > 0)
    let metrics = await first.get("/metrics").text
    for name in [
      "up", "age_seconds", "losses_total", "changes_total", "loads_total", "comparisons_total",
      "drift_total",
    ] {
      #expect(metrics.contains("\npincluster_store_\(name) "), "\(name)")
    }
    // A service that begins now finds everything in order.
    let late = try Service(sharing: first)
    #expect(late.catalog["c"]?.index.count == 299)
    // And writes go on.
    await second.store(geoJSON: features)
    #expect(late.catalog["c"] != nil)
  }

  @Test("a row that isn't what was written is named, and what was written is shown") func damaged()
    async throws
  {
    let service = try Service(comparisonInterval: 0.1)
    var generator = SeededGenerator(seed: 4)
    let features = (0..<30).map { ComparisonTests.feature($0, &generator) }
    await service.store(geoJSON: features)
    let before = await service.get("/collections/c/items/9").text
    let editor = try Editor(of: service)
    _ = try editor.run(#"UPDATE features SET properties = '{"n":0}' WHERE number = 9"#)
    try await eventually("the damage is told") {
      service.events.withLock { $0 }.contains { event in
        guard case .damaged(let reason) = event else { return false }
        return reason.contains("the feature 9 has an invalid checksum")
      }
    }
    #expect(ComparisonTests.drifts(of: [service]).contains("9"))
    #expect(await service.get("/collections/c/items/9").text == before)
    // A write sets it right.
    await service.store(geoJSON: features)
    try await eventually("all is well") { try ComparisonTests.compare(service)?.isSame == true }
  }
}
