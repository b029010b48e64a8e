import TestSupport
import Testing
import Threading

/// Concurrent readers and a writer: every answer shows one version of the data, never an older one than
/// before.
@Suite(.timeLimit(.minutes(5))) struct ConcurrencyTests {
  private static let all = "/collections/c/clusters?bbox=-180,-90,180,90&zoom=3&properties=none"

  @Test func readersSeeWholeWrites() throws {
    // Every write leaves a multiple of 50 features at all times.
    var generator = SeededGenerator(seed: 8)
    let batches: [[TwinFeature]] = (0..<8).map { batch in
      TwinFeature.world(50, firstID: batch * 50, using: &generator)
    }
    let server = try ServerProcess.holding(batches[0], in: "c")
    let faults = Locked<[String]>([])
    let done = Locked(false)
    let reads = Locked(0)
    let port = server.port
    Threads.run(9) { number in
      do {
        let connection = try TestClient(port: port).connect()
        if number == 8 {
          try ConcurrencyTests.write(batches, over: connection) { reads.value }
          done.withLock { $0 = true }
          return
        }
        var version = 0
        for round in 0..<1_000_000 {
          if done.value { return }
          let path = round % 2 == 0 ? ConcurrencyTests.all : "/collections/c/items?limit=10000"
          let answer = try connection.send("GET", path)
          let fault = ConcurrencyTests.fault(of: answer, version: &version)
          if let fault { faults.withLock { $0.append(fault) } }
          reads.withLock { $0 += 1 }
        }
      } catch {
        faults.withLock { $0.append("thread \(number): \(error)") }
        done.withLock { $0 = true }
      }
    }
    #expect(faults.value.prefix(5) == [])
    #expect(reads.value >= 120)
    #expect(try server.client.get("/health/ready").status == 200 && server.complaints.isEmpty)
  }

  /// Upserts and moves batches, and drops and recreates the collection, until there have been enough
  /// concurrent reads.
  private static func write(
    _ batches: [[TwinFeature]], over connection: TestConnection, reads: () -> Int
  ) throws {
    for round in 0..<10_000 {
      if round >= 40, reads() >= 120 { return }
      let batch = batches[round % batches.count].map { feature in
        var moved = feature
        moved.coordinate.longitude = -feature.coordinate.longitude
        return round / batches.count % 2 == 0 ? feature : moved
      }
      let answer =
        round % 17 == 16
        ? try connection.send("DELETE", "/collections/c")
        : try connection.send(
          "POST", "/collections/c/items", headers: [("Content-Type", "application/geo+json")],
          body: Array(batch.featureCollection.utf8))
      guard answer.status / 100 == 2 else {
        throw TestClient.Failure.malformed("\(answer.status): \(answer.text)")
      }
    }
  }

  /// What is wrong with an answer. `version` is the last one seen on the connection.
  private static func fault(of answer: TestResponse, version: inout Int) -> String? {
    if answer.status == 404 { return nil }  // between a drop and the next upsert
    let value = answer.value
    if let matched = value["numberMatched"]?.int {
      let ids = Set((value["features"]?.array ?? []).compactMap { $0["id"]?.int })
      return matched % 50 == 0 && ids.count == matched ? nil : "\(matched), \(ids.count) items"
    }
    let counts = (value["annotations"]?.array ?? []).compactMap { $0["count"]?.int }
    let sum = counts.reduce(0, +)
    guard answer.status == 200, let count = value["featureCount"]?.int, count == sum, sum % 50 == 0
    else { return "\(answer.status): \(sum) of \(value["featureCount"]?.text ?? "none")" }
    guard let now = value["version"]?.int, now >= version else { return "an older version" }
    version = now
    return nil
  }

  @Test func anAnsweredWriteIsSeenOnEveryOtherConnection() throws {
    let server = try ServerProcess.ready(arguments: ["--threads", "4"])
    let writer = try server.client.connect()
    let readers = try (0..<8).map { _ in try server.client.connect() }
    for round in 1...40 {
      let feature = TwinFeature(round, Double(round), 1, "{\"round\":\(round)}")
      let put = try writer.send(
        "PUT", "/collections/c/items/\(round)", headers: [("Content-Type", "application/json")],
        body: Array(feature.geoJSON.utf8))
      #expect(put.status == 201)
      for reader in readers {
        let read = try reader.send("GET", "/collections/c/items/\(round)")
        #expect(read.value["properties"]?["round"]?.int == round)
      }
      guard round % 2 == 0 else { continue }
      #expect(try writer.send("DELETE", "/collections/c/items/\(round)").status == 204)
      for reader in readers {
        #expect(try reader.send("GET", "/collections/c/items/\(round)").status == 404)
        let list = try reader.send("GET", "/collections/c/items?limit=0")
        #expect(list.value["numberMatched"]?.int == round / 2)
      }
    }
  }

  @Test func writersBesideEachOtherLoseNothing() throws {
    let server = try ServerProcess.ready()
    let faults = Locked<[String]>([])
    let port = server.port
    Threads.run(8) { number in
      do {
        let connection = try TestClient(port: port).connect()
        for step in 0..<25 {
          // Without ids, so that the server assigns them.
          let answer = try connection.send(
            "POST", "/collections/c/items", headers: [("Content-Type", "text/csv")],
            body: Array("lon,lat,who\n1,2,\(number * 100 + step)\n".utf8))
          if answer.status != 200 { faults.withLock { $0.append(answer.text) } }
        }
      } catch { faults.withLock { $0.append("\(error)") } }
    }
    #expect(faults.value == [])
    let page = try server.json("/collections/c/items?limit=1000")
    let features = page["features"]?.array ?? []
    #expect(Set(features.compactMap { $0["id"]?.int }) == Set(1...200))
    #expect(Set(features.compactMap { $0["properties"]?["who"]?.int }).count == 200)
  }

  /// Clients read a feature, change it and write it if nobody else has changed it in the meantime.
  @Test func noChangeUnderAConditionIsLost() throws {
    let server = try ServerProcess.ready()
    try server.store([TwinFeature(1, 1, 2, "{\"n\":0}")], in: "c")
    let faults = Locked<[String]>([])
    let lost = Locked(0)
    let port = server.port
    Threads.run(8) { number in
      do {
        let connection = try TestClient(port: port).connect()
        var left = 15
        for _ in 0..<100_000 where left > 0 {
          let now = try connection.send("GET", "/collections/c/items/1")
          let (count, tag) = (now.value["properties"]?["n"]?.int, now.header("ETag"))
          guard let count, let tag else { throw TestClient.Failure.malformed(now.text) }
          let patch = number % 2 == 0
          let properties = "{\"n\":\(count + 1)}"
          let answer = try connection.send(
            patch ? "PATCH" : "PUT", "/collections/c/items/1",
            headers: [("Content-Type", "application/json"), ("If-Match", tag)],
            body: Array(
              (patch
                ? "{\"properties\":\(properties)}" : TwinFeature(1, 1, 2, properties).geoJSON).utf8)
          )
          switch answer.status {
          case 200: left -= 1
          case 412: lost.withLock { $0 += 1 }
          default: faults.withLock { $0.append(answer.text) }
          }
        }
        if left > 0 { faults.withLock { $0.append("\(left) left") } }
      } catch { faults.withLock { $0.append("\(error)") } }
    }
    #expect(faults.value.prefix(5) == [])
    let properties = try server.json("/collections/c/items/1")["properties"]
    #expect(properties?["n"]?.int == 8 * 15, "\(lost.value) were told that they lost")
  }

  @Test func ofManyWhoMakeAFeatureOneDoes() throws {
    let server = try ServerProcess.ready(arguments: ["--threads", "4"])
    let port = server.port
    let rounds = 10
    let winners = Locked(Array(repeating: [Int](), count: rounds))
    let faults = Locked<[String]>([])
    Threads.run(12) { number in
      do {
        let connection = try TestClient(port: port).connect()
        for round in 0..<rounds {
          let answer = try connection.send(
            "PUT", "/collections/c/items/\(round)",
            headers: [("Content-Type", "application/json"), ("If-None-Match", "*")],
            body: Array(TwinFeature(round, 1, 2, "{\"by\":\(number)}").geoJSON.utf8))
          if answer.status == 201 { winners.withLock { $0[round].append(number) } }
          if ![201, 412].contains(answer.status) { faults.withLock { $0.append(answer.text) } }
        }
      } catch { faults.withLock { $0.append("\(error)") } }
    }
    #expect(faults.value.prefix(5) == [])
    for (round, made) in winners.value.enumerated() {
      #expect(made.count == 1)
      let stored = try server.json("/collections/c/items/\(round)")
      #expect(stored["properties"]?["by"]?.int == made.first)
    }
  }
}
