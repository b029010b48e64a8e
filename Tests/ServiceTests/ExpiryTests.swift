import Glibc
import TestSupport
import Testing
import Threading

/// Expiring features, in the whole service and by the system clock.
@Suite(.timeLimit(.minutes(5))) struct ExpiryTests {
  private static func now() -> Int { Int(SystemTime.now / 1000) }

  /// A time in RFC 3339.
  static func text(_ time: Int) -> String {
    var (seconds, parts) = (time / 1000, tm())
    gmtime_r(&seconds, &parts)
    func padded(_ number: Int, _ digits: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    let date = [Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)]
    let clock = [Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec)]
    return date.map { padded($0, 2) }.joined(separator: "-") + "T"
      + clock.map { padded($0, 2) }.joined(separator: ":") + ".\(padded(time % 1000, 3))Z"
  }

  /// A collection of features whose property `e` repeats when they expire.
  private static func collection(_ expiries: [Int]) -> String {
    let features = expiries.enumerated().map { number, expires in
      TwinFeature(number, Double(number % 90), 1, "{\"e\":\(expires)}").geoJSON.dropLast()
        + ",\"expires\":\"\(text(expires))\"}"
    }
    return "{\"type\":\"FeatureCollection\",\"features\":[\(features.joined(separator: ","))]}"
  }

  /// The values of all properties `e` in an answer.
  private static func expiries(in text: String) -> Set<Int> {
    Set(
      text.split(separator: "\"e\":", omittingEmptySubsequences: false).dropFirst().compactMap {
        Int($0.prefix { $0.isNumber })
      })
  }

  /// The number of rows of features on disk.
  private static func rows(in data: TemporaryDirectory) -> Int {
    (try? Database.integer("SELECT count(*) FROM features", in: data)) ?? -1
  }

  @Test func neverSeenAfterTheInstantAndGoneFromDiskSoonAfter() throws {
    let server = try ServerProcess.ready()
    let start = ExpiryTests.now() + 500
    let expiries = (0..<80).map { start + $0 * 15 }
    let stored = try server.client.send(
      "POST", "/collections/c/items", json: ExpiryTests.collection(expiries))
    try #require(stored.status == 200, "\(stored.text)")
    let targets = [
      "/items?limit=1000", "/clusters?bbox=-180,-80,180,80&zoom=0&members=100",
      "/clusters?bbox=-180,-80,180,80&zoom=9&method=distance&epsilon=1&members=100",
      "/pins?bbox=-180,-80,180,80",
    ]
    var (round, views) = (0, 0)
    while let last = expiries.last, ExpiryTests.now() < last + 30 {
      let target = targets[round % targets.count]
      round += 1
      let before = ExpiryTests.now()
      let answer = try server.client.get("/collections/c" + target)
      let after = ExpiryTests.now()
      try #require(answer.status == 200, "\(answer.text)")
      let found = ExpiryTests.expiries(in: answer.text)
      #expect(found.allSatisfy { $0 > before }, "\(target)")
      #expect(expiries.allSatisfy { $0 <= after || found.contains($0) }, "\(target)")
      if !found.isEmpty && found.count < expiries.count { views += 1 }
    }
    // On a slow machine these are few.
    #expect(views > 0)
    #expect(eventually { ExpiryTests.rows(in: server.data) == 0 })
    server.expectHealthy()
    #expect(server.terminate() == 0)
  }

  /// Rows are removed even without requests.
  @Test func aTimeToLiveEmptiesACollectionByItself() throws {
    let server = try ServerProcess.ready()
    #expect(
      try server.client.send("PUT", "/collections/c", json: #"{"ttl":0.2}"#).status == 201)
    try server.store((0..<2000).map { TwinFeature($0, 1, 2) }, in: "c")
    #expect(eventually { ExpiryTests.rows(in: server.data) == 0 })
    #expect(try server.json("/collections/c")["featureCount"]?.int == 0)
    server.expectHealthy()
  }

  /// Kills at random times: no version has two contents, and no expired feature returns.
  @Test func versionsStandForOneContentAcrossKills() throws {
    var generator = SeededGenerator(seed: 77)
    var server = try ServerProcess.ready()
    var contents: [Int: Set<Int>] = [:]
    var last = 0
    for _ in 0..<6 {
      let start = ExpiryTests.now()
      let expiries = (0..<20).map { _ in start + generator.int(20...700) }
      let stored = try server.client.send(
        "POST", "/collections/c/items", json: ExpiryTests.collection(expiries))
      try #require(stored.status == 200, "\(stored.text)")
      let end = start + generator.int(50...600)
      repeat {
        let before = ExpiryTests.now()
        let answer = try server.json(
          "/collections/c/clusters?bbox=-180,-80,180,80&zoom=0&members=100")
        let found = ExpiryTests.expiries(in: answer.text)
        let version = try #require(answer["version"]?.int)
        #expect(version >= last)
        last = version
        #expect(contents.updateValue(found, forKey: version) ?? found == found)
        #expect(found.allSatisfy { $0 > before })
      } while ExpiryTests.now() < end
      server.kill()
      server = try ServerProcess.ready(data: server.data)
    }
    server.expectHealthy()
  }
}
