import TestSupport
import Testing

/// Filters that make no sense, or mean harm.
@Suite(.timeLimit(.minutes(10))) struct FilterErrorTests {
  /// A filter, and the character at which it goes wrong where there is no doubt.
  static let malformed: [(text: String, position: Int?)] = [
    ("", nil), (" ", nil), ("a", nil), ("a =", nil), ("a = = 1", 5), ("a = 1 b", 7),
    ("a == 1", nil), ("(a = 1", nil), ("a = 1)", 6), ("()", 2), ("a = 'x", nil),
    ("a = 'it's'", nil),
    ("AND a = 1", 1), ("a = 1 AND", nil), ("a = 1 OR OR b = 2", 10), ("NOT", nil),
    ("a IN ()", 7), ("a IN 1", 6), ("a IN (1,)", 9), ("a IN (1 2)", 9), ("a BETWEEN 1", nil),
    ("a BETWEEN 1 OR 2", 13), ("a LIKE 5", 8), ("a LIKE b", 8), ("a IS 5", 6), ("a IS NOT 5", 10),
    ("a != 1", 3), ("a = 1; b = 2", 6), ("a = \"b", nil), ("a ~ 1", 3),
    ("a = 1 && b = 2", 7), ("a = 1e", nil), ("a = 0x10", nil),
    ("a NOT = 1", nil), ("a = 1 AND b", nil), ("NOT a", nil), ("\"\u{65E5}\" = = 1", 7),
    ("a = '\u{1F5FE}' = 1", 9), ("a\u{0} = 1", nil), ("a = {x}", 5), ("'a'", nil),
  ]

  @Test(arguments: malformed)
  func `a syntax error is 400 and names its character`(text: String, position: Int?) async throws {
    let service = try await Service([TwinFeature(1, 2, 3, "{\"a\":1}")])
    let body = TestJSON.object([
      .init("bbox", [0, 0, 9, 9]), .init("zoom", 3), .init("filter", .string(text)),
    ])
    var answers: [Answer] = []
    for resource in ["clusters", "pins"] {
      let answer = await service.post("/collections/c/\(resource)", body.text)
      answer.expectProblem(400, at: "/filter", text)
      answers.append(answer)
    }
    let query = "filter=\(TwinRequest.percentEncoded(text))"
    for target in ["clusters?bbox=0,0,9,9&zoom=3&", "pins?bbox=0,0,9,9&", "items?"] {
      let answer = await service.get("/collections/c/\(target)\(query)")
      answer.expectProblem(400, at: "filter", text)
      answers.append(answer)
    }
    for answer in answers {
      let detail = answer["errors"]?[0]?["detail"]?.string ?? ""
      let words = detail.split(separator: " ").map { $0.filter { !",.:;".contains($0) } }
      let at = zip(words, words.dropFirst()).compactMap { word, next in
        word == "character" ? Int(next) : nil
      }.first
      #expect(at != nil, "\(text): \(detail)")
      #expect(position == nil || at == position, "\(text): \(detail)")
      #expect((1...text.unicodeScalars.count + 1).contains(at ?? 0), "\(text): \(detail)")
    }
  }

  /// Nothing is known of a power of what isn't a number, though IEEE 754 has 1 for some.
  @Test(arguments: [
    ("(n ^ 0) = 1", 0), ("1 ^ n = 1", 0), ("t ^ 0 = 1", 0), ("missing ^ 0 = 1", 0),
    ("(a / 0) ^ 0 = 1", 0), ("NOT (missing ^ 0 = 2)", 0), ("a ^ 0 = 1", 1), ("1 ^ a = 1", 1),
    ("a ^ 2 = 9", 1),
  ])
  func `a power of what is missing is unknown`(text: String, count: Int) async throws {
    let service = try await Service([TwinFeature(1, 2, 3, #"{"a":3,"n":null,"t":"x"}"#)])
    let filter = TwinRequest.percentEncoded(text)
    let items = await service.get("/collections/c/items?filter=\(filter)")
    #expect(items["numberMatched"]?.int == count)
    let view = await service.get("/collections/c/clusters?bbox=0,0,9,9&zoom=3&filter=\(filter)")
    #expect(view["featureCount"]?.int == count)
  }

  @Test func `a filter is text`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    for value in ["5", "true", "[]", "{}", "[\"a = 1\"]"] {
      for resource in ["clusters", "pins"] {
        (await service.post(
          "/collections/c/\(resource)", "{\"bbox\":[0,0,9,9],\"zoom\":3,\"filter\":\(value)}"))
          .expectProblem(400, at: "/filter", value)
      }
    }
    (await service.get("/collections/c/items?filter=a=1&filter=a=1"))
      .expectProblem(400, at: "filter")
  }

  /// Filters that are too much, and whether they are beyond what is accepted at all.
  static let hostile: [(name: String, text: String, isBeyond: Bool)] = {
    func many(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
    func quoted(_ text: String) -> String { "name LIKE '" + text + "'" }
    return [
      ("parentheses", many("(", 5000) + "n = 1" + many(")", 5000), true),
      ("open parentheses", many("(", 60_000), true),
      ("nested NOT", many("NOT (", 5000) + "n = 1" + many(")", 5000), true),
      ("101 deep", many("(", 101) + "n = 1" + many(")", 101), true),
      ("just too long", "n = 1" + many(" ", 65_532), true),
      ("a megabyte of text", "name = '" + many("x", 1 << 20) + "'", true),
      ("a megabyte of OR", many("n = 1 OR ", 120_000) + "n = 1", true),
      ("a megabyte of nothing", many(" ", 1 << 20), true),
      ("nearly a megabyte of text", "name = '" + many("x", (1 << 20) - 200) + "'", true),
      ("nearly a megabyte of OR", many("n = 1 OR ", 116_000) + "n = 1", true),
      ("a long pattern", quoted(many("a", 1025)), true),
      ("33 patterns", (0..<33).map { quoted("%a%\($0)") }.joined(separator: " OR "), true),
      ("32 patterns", (0..<32).map { quoted("%a%\($0)") }.joined(separator: " OR "), false),
      ("33 properties", (0..<33).map { "p\($0) = 1" }.joined(separator: " OR "), true),
      (
        "32 properties",
        "n = 1" + (0..<31).map { " AND p\($0) IS NULL" }.joined(), false
      ),
      ("as long as may be", "n = 1" + many(" ", 65_531), false),
      ("99 deep", many("(", 99) + "n = 1" + many(")", 99), false),
      ("wildcards", quoted(many("%a", 500) + "b"), false),
      ("percent signs", quoted(many("%", 1023) + "b"), false),
      ("any character", quoted(many("%_", 511) + "b"), false),
      (
        "many wildcards many times",
        (0..<50).map { _ in quoted(many("%a", 300) + "b") }
          .joined(separator: " OR "), false
      ),
      ("a long list", "n IN (" + (0..<9000).map(String.init).joined(separator: ",") + ")", false),
      ("a long chain", many("n = 1 OR ", 7000) + "n = 1", false),
    ]
  }()

  @Test func `hostile filters are refused or answered`() async throws {
    let service = try Service()
    let long = String(repeating: "a", count: 1000)
    await service.store(
      (0..<30).map { TwinFeature($0, Double($0), 0, "{\"name\":\"\(long)\",\"n\":\($0 % 2)}") })
    for (name, text, isBeyond) in Self.hostile {
      let body = TestJSON.object([
        .init("bbox", [-1, -1, 40, 1]), .init("zoom", 3), .init("properties", "none"),
        .init("filter", .string(text)),
      ])
      for resource in ["clusters", "pins"] {
        let answer = await service.post("/collections/c/\(resource)", body.text)
        if body.text.utf8.count > 1 << 20 {
          #expect(answer.status == 413, "\(name)")
        } else if isBeyond {
          answer.expectProblem(422, at: "/filter", name)
          #expect(answer.text.utf8.count < 2000, "\(name)")
        } else {
          #expect(answer.status == 200, "\(name): \(answer.text.prefix(200))")
          let wanted = text.contains("LIKE") ? 0 : text.contains("IN (") ? 30 : 15
          #expect(answer["featureCount"]?.int == wanted, "\(name)")
        }
      }
      let query = TwinRequest.percentEncoded(text)
      let items = await service.get("/collections/c/items?filter=\(query)")
      #expect(items.status == (isBeyond ? 422 : 200), "\(name): \(items.text.prefix(200))")
    }
  }
}
