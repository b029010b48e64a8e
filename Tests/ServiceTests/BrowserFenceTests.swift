import TestSupport
import Testing

/// What the binary lets web sites do, by its flags and by where it listens.
@Suite(.timeLimit(.minutes(5))) struct BrowserFenceTests {
  private func status(_ server: ServerProcess, _ fields: [(String, String)]) throws -> Int {
    try server.client.send(
      "PUT", "/collections/c", headers: [("Content-Type", "application/json")] + fields,
      body: Array("{}".utf8)
    ).status
  }

  @Test func whoMayWriteIsSaidByAFlag() throws {
    let site = [("Origin", "https://maps.example"), ("Sec-Fetch-Site", "cross-site")]
    let plain = try ServerProcess.ready()
    #expect(try status(plain, site) == 403)
    #expect(try status(plain, []) == 201)
    let listed = try ServerProcess.ready(arguments: ["--cors-origin", "https://maps.example"])
    #expect(try status(listed, site) == 201)
    #expect(try status(listed, [("Origin", "https://other.example")]) == 403)
    let open = try ServerProcess.ready(environment: ["PINCLUSTER_CORS_ORIGIN": "*"])
    #expect(try status(open, site) == 201)
    try Tool(["serve", "--port", "0", "--cors-origin", "maps.example"])
      .expectFailure(2, saying: "--cors-origin", "maps.example")
  }

  @Test func onlyItsOwnNamesLeadToAServiceOnThisMachine() throws {
    let rebound = [("Host", "evil.example:80"), ("Origin", "http://evil.example:80")]
    let local = try ServerProcess.ready()
    #expect(try status(local, rebound) == 403)
    #expect(try local.client.get("/collections", headers: [rebound[0]]).status == 403)
    local.expectHealthy()
    let proxied = try ServerProcess.ready(arguments: [
      "--public-url", "http://evil.example:80/maps",
    ])
    #expect(try status(proxied, rebound) == 201)
    let trusting = try ServerProcess.ready(arguments: ["--trust-proxy"])
    #expect(try status(trusting, rebound) == 201)
    let everywhere = try ServerProcess.ready(arguments: [
      "--host", "0.0.0.0", "--allow-anonymous-writes",
    ])
    #expect(try everywhere.client.get("/collections", headers: [rebound[0]]).status == 200)
  }
}
