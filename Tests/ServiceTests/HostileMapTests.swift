import TestSupport
import Testing

/// What map programs could ask for and must not get: the contract's status, at once.
@Suite(.timeLimit(.minutes(5))) struct HostileMapTests {
  private static let items = "/collections/c/items?"
  private static let tile = "/collections/c/tiles/0/0/0?"

  private static func encoded(_ text: String) -> String { TwinRequest.percentEncoded(text) }

  @Test func shapes() throws {
    let corners = String(repeating: "1 1,", count: 1_000_000)
    let numbers = String(repeating: "[1,1],", count: 1_000_000)
    let bow = "S_INTERSECTS(geometry,POLYGON((0 0,4 4,4 0,0 4,0 0)))"
    let shapes: [(String, Int)] = [
      (bow, 422), ("S_INTERSECTS(geometry,POLYGON((0 0,1 1,0 0)))", 422),
      ("S_INTERSECTS(geometry,POINT(NaN NaN))", 400), ("S_INTERSECTS(geometry,POINT(1 inf))", 400),
      ("S_INTERSECTS(geometry,POINT(1e400 1))", 400), ("S_INTERSECTS(geometry,POINT(1e9 1))", 400),
      ("S_INTERSECTS(geometry,BBOX(0,0,1000000,1))", 400),
      ("S_INTERSECTS(geometry,POINT(1))", 400), ("S_INTERSECTS(geometry,POLYGON EMPTY)", 400),
      ("T_AFTER(t,TIMESTAMP('1000000000-01-01T00:00:00Z'))", 400),
      ("T_DURING(t,INTERVAL('1000000000-01-01','..'))", 400),
      ("T_DURING(t,INTERVAL('2021-01-01','2020-01-01'))", 422),
    ]
    try Attack.run(
      shapes.flatMap { text, status -> [Attack] in
        let filter = HostileMapTests.encoded(text)
        return [
          .get(HostileMapTests.items + "filter=" + filter, status, "filter"),
          .get(HostileMapTests.tile + "filter=" + filter, status, "filter"),
          .members("\"filter\":\"\(text)\"", status, "/filter"),
        ]
      } + [
        .members("\"filter\":\"S_INTERSECTS(geometry,POLYGON((\(corners)1 1)))\"", 413),
        .members(
          "\"filter\":{\"op\":\"s_intersects\",\"args\":[{\"property\":\"geometry\"},"
            + "{\"type\":\"Polygon\",\"coordinates\":[[\(numbers)[1,1]]]}]}", 413),
      ])
  }

  @Test func timesAndHistograms() throws {
    let view = "/collections/c/clusters?bbox=-10,-10,10,10&zoom=3"
    let times = [
      "1000000000-01-01", "../1000000000-01-01T00:00:00Z", "0/1", "-1-01-01", "2020-02-30",
    ]
    let histograms = [
      (#"{"property":"a","bins":1e9}"#, "bins"), (#"{"property":"a","bins":0}"#, "bins"),
      (#"{"property":"a","bins":-1}"#, "bins"),
      (#"{"property":"a","bins":10,"range":[1,0]}"#, "range"),
    ]
    try Attack.run(
      times.flatMap { time -> [Attack] in
        [HostileMapTests.items, HostileMapTests.tile, view + "&"].map {
          .get($0 + "datetime=" + time, 400, "datetime")
        }
      }
        + histograms.flatMap { text, member -> [Attack] in
          let query = view + "&histogram=" + HostileMapTests.encoded(text)
          return [
            .get(query, 422, "histogram/\(member)"),
            .members("\"histogram\":\(text)", 422, "/histogram/\(member)"),
          ]
        }
        + [.members(#""histogram":{"property":"a","bins":NaN}"#, 400)])
  }

  @Test func tiles() throws {
    let places = [
      "24/1073741824/-1", "25/0/0", "24/16777216/0", "-1/0/0", "0/0/1", "0/NaN/0", "1e1/0/0",
    ]
    try Attack.run(
      places.flatMap { place -> [Attack] in
        ["", "WebMercatorQuad/"].map { .get("/collections/c/tiles/\($0)\(place)", 404) }
      } + [
        .get(HostileMapTests.tile + "cellSize=0", 422, "cellSize"),
        .get(HostileMapTests.tile + "v=-1", 422, "v"), .get(HostileMapTests.tile + "v=x", 400, "v"),
      ])
  }

  /// Each template is a grid, a filter and a scope of its own. They don't pile up.
  @Test func tenThousandTemplates() throws {
    let features = (1...100).map { number in
      TwinFeature(
        number, Double(number % 180) / 2, Double(number % 90) / 2, "{\"a\":\(number % 97)}")
    }
    // The address sanitizer would keep what is freed.
    let server = try ServerProcess.ready(environment: ["ASAN_OPTIONS": "quarantine_size_mb=1"])
    try server.store(features, in: "c")
    let connection = try server.client.connect()
    func ask(_ range: Range<Int>) throws {
      for number in range {
        let filter = HostileMapTests.encoded("a <> \(number)")
        let response = try connection.send(
          "GET", "/collections/c/tiles/1/1/0?cellSize=\(32 + number % 64)&filter=\(filter)")
        try #require(response.status == 200, "\(number)")
      }
    }
    try ask(0..<2500)
    let before = try #require(server.process.peakMemory)
    try ask(2500..<10_000)
    let after = try #require(server.process.peakMemory)
    #expect(after < before + 64 << 10, "\(before) kilobytes, then \(after)")
    server.expectHealthy()
  }
}
