import TestSupport
import Testing

/// Writes that were answered 2xx survive kill -9.
@Suite(.timeLimit(.minutes(5))) struct DurabilityTests {
  @Test func answeredWritesSurviveAKill() throws {
    var generator = SeededGenerator(seed: 9)
    var mirror = Mirror()
    var server = try ServerProcess.ready()
    for _ in 0..<10 {
      for _ in 0..<generator.int(1...8) { try mirror.write(to: server, using: &generator) }
      server.kill()
      server = try ServerProcess.ready(data: server.data)
      try mirror.expect(in: server)
      // The bytes, including ids of annotations, are the same after a second kill.
      let before = try mirror.answers(of: server)
      server.kill()
      server = try ServerProcess.ready(data: server.data)
      #expect(try mirror.answers(of: server) == before)
    }
    server.expectHealthy()
  }

  @Test func versionsGrowOverDropAndRestart() throws {
    var server = try ServerProcess.ready()
    var last = 0
    func version() throws -> Int {
      try #require(try server.json("/collections/c")["version"]?.int)
    }
    for round in 0..<4 {
      for step in 0..<3 {
        #expect(try server.client.send("PUT", "/collections/c", json: "").status / 100 == 2)
        try server.store([TwinFeature(step, 1, 2)], in: "c")
        #expect(try version() > last)
        last = try version()
      }
      if round % 2 == 0 {
        #expect(try server.client.send("DELETE", "/collections/c").status == 204)
      }
      server.kill()
      server = try ServerProcess.ready(data: server.data)
      if round % 2 == 0 {
        #expect(try server.client.get("/collections/c").status == 404)
      } else {
        #expect(try version() == last)
      }
    }
  }

  @Test func assignedIdsAreNotGivenAgain() throws {
    var server = try ServerProcess.ready()
    let body = TestJSON.object([
      .init("type", "Feature"),
      .init("geometry", ["type": "Point", "coordinates": [1, 2]]),
    ])
    func assigned() throws -> Int {
      let answer = try server.client.post("/collections/c/items", body)
      return try #require(answer.value["ids"]?[0]?.int)
    }
    #expect(try assigned() == 1)
    try server.store([TwinFeature(70, 1, 2)], in: "c")
    #expect(try assigned() == 71)
    for id in [70, 71] {
      #expect(try server.client.send("DELETE", "/collections/c/items/\(id)").status == 204)
    }
    server.kill()
    server = try ServerProcess.ready(data: server.data)
    #expect(try assigned() == 72)
  }
}
