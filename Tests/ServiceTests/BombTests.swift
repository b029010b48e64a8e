import TestSupport
import Testing

/// Small bodies that would take much memory, time or disk.
@Suite(.timeLimit(.minutes(5))) struct BombTests {
  /// A table whose rows each repeat the long names of all columns.
  private static func table(columns: Int, rows: Int, value: String = "a") -> [UInt8] {
    let name = String(repeating: "n", count: 10_000)
    let header = (0..<columns).map { ",\(name)\($0)" }.joined()
    let row = "1,2" + String(repeating: ",\(value)", count: columns) + "\n"
    return Array("lon,lat\(header)\n".utf8)
      + (0..<rows).flatMap { _ in Array(row.utf8) }
  }

  private static let csv = [("Content-Type", "text/csv")]

  @Test func namesOfColumnsAreNoBomb() throws {
    let server = try ServerProcess.ready()
    let items = "/collections/c/items"
    // 1.2 GB of features in 1.3 MB.
    let many = try server.client.send(
      "POST", items, headers: BombTests.csv, body: BombTests.table(columns: 100, rows: 1200))
    #expect(many.fault(status: 413) == nil)
    let peak = try #require(server.process.peakMemory)
    #expect(peak < 900_000, "\(peak) kB")
    // Each of them larger than a feature may be.
    let large = try server.client.send(
      "POST", items + "?onError=skip", headers: BombTests.csv,
      body: BombTests.table(
        columns: 104, rows: 20, value: String(repeating: "a", count: 100)))
    #expect(large.status == 200, "\(large.text.prefix(300))")
    let answer = try large.json()
    #expect(answer["rejected"]?.int == 20 && answer["inserted"]?.int == 0)
    #expect(answer["errors"]?.array?.first?["pointer"]?.string == "/lines/2")
    // Few of them are stored, and the next write follows at once.
    let few = try server.client.send(
      "POST", items, headers: BombTests.csv, body: BombTests.table(columns: 100, rows: 10))
    #expect(few.status == 200)
    #expect(try server.json("/collections/c")["featureCount"] == 10)
    server.expectHealthy()
  }

  @Test func tablesAreNoBombs() throws {
    let server = try ServerProcess.ready()
    func post(_ body: [UInt8], _ query: String = "") throws -> TestResponse {
      try server.client.send(
        "POST", "/collections/c/items\(query)", headers: BombTests.csv, body: body)
    }
    func repeated(_ bytes: [UInt8], _ times: Int) -> [UInt8] {
      var all: [UInt8] = []
      for _ in 0..<times { all += bytes }
      return all
    }
    func table(_ text: String, times: Int, _ end: String = "") -> [UInt8] {
      Array("lon,lat".utf8) + repeated(Array(text.utf8), times) + Array(end.utf8)
    }
    let separators = Array(repeating: UInt8(ascii: "\n"), count: 1 << 20)
    for (body, query) in [
      // A million columns, a header of 16 MB, and one that is never closed.
      (table(",a", times: 490_000, "\n1,2\n"), ""), (table(",a", times: 8_000_000, "\n1,2\n"), ""),
      (table(",\"a\n", times: 1_000_001), ""),
      // Lines of a separator, and a long one.
      (Array("sep=".utf8) + separators, ""),
      (repeated(Array("sep=;\n".utf8), 1_000_000), ""),
      (Array("sep=".utf8) + [UInt8](repeating: UInt8(ascii: ";"), count: 16 << 20), ""),
      // UTF-16 of which half a letter is left, and shifts of a stateful encoding that lead nowhere.
      ([0xFF, 0xFE] + Array(repeating: 0x3B, count: (16 << 20) + 1), ""),
      (repeated([0x1B, 0x24, 0x42], 4_000_000), "?encoding=ISO-2022-JP"),
      (
        Array("lon,lat\n".utf8) + Array(repeating: UInt8(ascii: "+"), count: 8 << 20),
        "?encoding=UTF-7"
      ),
    ] {
      let answer = try post(body, query)
      #expect(answer.fault(status: 422) == nil, "\(answer.text.prefix(500))")
      #expect(answer.body.count < 100_000)
    }
    // Each quote takes all that follows, up to the longest line, and each second line is good.
    let lines = repeated(Array("x\",\"b\n1,2\n".utf8), 100_000)
    let answer = try post(Array("lon,lat\n".utf8) + lines, "?onError=skip")
    #expect(answer.status == 200 && answer.value["inserted"]?.int == 100_000)
    #expect(answer.value["rejected"]?.int == 100_000)
    let peak = try #require(server.process.peakMemory)
    #expect(peak < 900_000, "\(peak) kB")
    server.expectHealthy()
  }

  @Test func largeFeaturesAreRefusedUnlessAllowed() throws {
    let feature = TwinFeature(1, 1, 2, "{\"t\":\"\(String(repeating: "x", count: 2_000_000))\"}")
    let path = "/collections/c/items/1"
    var server = try ServerProcess.ready()
    let refused = try server.client.send("PUT", path, json: feature.geoJSON)
    #expect(refused.fault(status: 413) == nil)
    #expect(server.terminate() == 0)
    server = try ServerProcess.ready(
      data: server.data, environment: ["PINCLUSTER_MAX_FEATURE_BYTES": "3000000"])
    #expect(try server.client.send("PUT", path, json: feature.geoJSON).status == 201)
    #expect(server.terminate() == 0)
    // What is stored stays readable, and a patch may make it small.
    server = try ServerProcess.ready(data: server.data)
    #expect(try server.client.get(path).body.count > 2_000_000)
    let type = "application/merge-patch+json"
    let longer = try server.client.send(
      "PATCH", path, json: "{\"properties\":{\"a\":1}}", type: type)
    #expect(longer.fault(status: 413) == nil)
    let shorter = try server.client.send(
      "PATCH", path, json: "{\"properties\":{\"t\":1}}", type: type)
    #expect(shorter.status == 200)
    #expect(try server.json(path)["properties"]?.text == "{\"t\":1}")
    server.expectHealthy()
  }
}
