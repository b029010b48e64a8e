import TestSupport
import Testing

/// `previous` that means harm: every annotation of the view has every earlier one as a candidate.
struct StillMapLimitTests {
  private static let view = #""bbox":[-10,-10,10,10],"zoom":0,"cellSize":60,"marginFactor":0"#

  /// Ids of different sizes of cells, at one coordinate.
  private static func previous(_ count: Int, _ id: (Int) -> String) -> String {
    let all = (0..<count).map {
      #"{"id":"\#(id($0))","coordinate":{"latitude":5,"longitude":5}}"#
    }
    return "\"previous\":[\(all.joined(separator: ","))]"
  }

  /// Two features of each of many groups at a coordinate.
  private func service(_ count: Int) async throws -> Service {
    let service = try Service()
    await service.store(
      (0..<count).map { TwinFeature($0, 5, 5, "{\"pair\":\($0 / 2),\"kind\":\($0 % 2)}") })
    return service
  }

  @Test func `many candidates for many clusters are answered or refused soon`() async throws {
    let service = try await service(4000)
    let ids: [(name: String, id: (Int) -> String)] = [
      // Hold nothing that is shared, hold all, hold nothing of another property's group.
      ("far", { "g2\($0 + 100)_60_0_0" }), ("near", { "g4_\($0 / 16 + 60)\(sixteenth($0))_2_1" }),
      ("groups", { "g4_\($0 / 16 + 60)\(sixteenth($0))_2_1~pa2luZA.kMQ" }),
    ]
    for (name, id) in ids {
      let clock = ContinuousClock()
      let start = clock.now
      let answer = await service.post(
        "/collections/c/clusters",
        "{\(Self.view),\"groupBy\":\"pair\",\(Self.previous(10_000, id))}")
      if answer.status != 200 { answer.expectProblem(422, at: "/previous", "\(name)") }
      #expect(clock.now - start < .seconds(20), "\(name)")
    }
  }

  private func sixteenth(_ number: Int) -> String {
    let text = "\(Double(number % 16) / 16)".dropFirst()
    return text == ".0" ? "" : String(text)
  }

  @Test func `properties that no request asked for are not looked up without end`() async throws {
    let service = try await service(4000)
    let names: [(String, (Int) -> String)] = [
      // Any four letters are base64url.
      ("properties", { "g4_60_2_1~p\(padded($0, 4)).kMQ" }),
      ("hashes", { "g4_60_2_1~h\(padded($0, 32)).kMQ" }),
    ]
    for (name, id) in names {
      let clock = ContinuousClock()
      let start = clock.now
      let answer = await service.post(
        "/collections/c/clusters", "{\(Self.view),\(Self.previous(10_000, id))}")
      answer.expectProblem(422, at: "/previous", "\(name)")
      #expect(clock.now - start < .seconds(30), "\(name)")
    }
  }

  private func padded(_ number: Int, _ length: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: length - digits.count) + digits
  }
}
