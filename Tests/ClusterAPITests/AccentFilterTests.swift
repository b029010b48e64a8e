import ClusterCore
import TestSupport
import Testing

/// ACCENTI and CASEI in filters, against texts of signs whose plain forms are known.
@Suite(.timeLimit(.minutes(10))) struct AccentFilterTests {
  /// A sign: as it is, without accents, without case, without both.
  private static let signs: [[String]] = [
    ["a", "a", "a", "a"], ["ä", "a", "ä", "a"], ["a\u{308}", "a", "a\u{308}", "a"],
    ["Ä", "A", "ä", "a"],
    ["A", "A", "a", "a"], ["ø", "o", "ø", "o"], ["O", "O", "o", "o"], ["ß", "ss", "ss", "ss"],
    ["s", "s", "s", "s"], ["Æ", "AE", "æ", "ae"], ["\u{30C}", "", "\u{30C}", ""],
    ["İ", "I", "i\u{307}", "i"],
  ]

  private struct Name {
    var signs: [Int]
    func text(_ form: Int) -> String { signs.map { AccentFilterTests.signs[$0][form] }.joined() }
  }

  /// A function of a text, and which form that is.
  private static let functions: [(String, Int)] = [
    ("", 0), ("ACCENTI", 1), ("casei", 2), ("ACCENTI(CASEI", 3), ("CaseI(accenti", 3),
    ("ACCENTI(CASEI(ACCENTI", 3),
  ]

  private static func call(_ function: String, _ inner: String) -> String {
    function.isEmpty
      ? inner
      : "\(function)(\(inner)"
        + String(repeating: ")", count: function.utf8.count { $0 == UInt8(ascii: "(") } + 1)
  }

  private static func name(_ generator: inout SeededGenerator) -> Name {
    Name(signs: (0..<generator.int(0...3)).map { _ in generator.int(0...signs.count - 1) })
  }

  /// A condition, and whether it is true of two names.
  private static func condition(
    _ generator: inout SeededGenerator
  ) -> (String, (Name, Name?) -> Bool?) {
    let (function, form) = generator.pick(functions)
    let left = call(function, "name")
    func literal(_ name: Name) -> (String, String) {
      let (function, form) = generator.pick(functions)
      return (call(function, "'\(name.text(0))'"), name.text(form))
    }
    func isLess(_ a: String, _ b: String) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }
    func isEqual(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }
    switch generator.int(0...6) {
    case 0:
      let (text, value) = literal(name(&generator))
      return ("\(left) = \(text)", { one, _ in isEqual(one.text(form), value) })
    case 1:
      let (text, value) = literal(name(&generator))
      return ("\(text) <> \(left)", { one, _ in !isEqual(one.text(form), value) })
    case 2:
      let (text, value) = literal(name(&generator))
      return ("\(left) < \(text)", { one, _ in isLess(one.text(form), value) })
    case 3:
      let (a, b) = (literal(name(&generator)), literal(name(&generator)))
      return (
        "\(left) BETWEEN \(a.0) AND \(b.0)",
        { one, _ in !isLess(one.text(form), a.1) && !isLess(b.1, one.text(form)) }
      )
    case 4:
      let all = (0..<generator.int(1...4)).map { _ in literal(name(&generator)) }
      let isNegated = generator.chance(0.3)
      return (
        "\(left) \(isNegated ? "NOT " : "")IN (\(all.map(\.0).joined(separator: ", ")))",
        { one, _ in all.contains { isEqual($0.1, one.text(form)) } != isNegated }
      )
    case 5:
      let (function, other) = generator.pick(functions)
      return (
        "\(left) <= \(call(function, "other"))",
        { one, two in two.map { !isLess($0.text(other), one.text(form)) } }
      )
    default:
      let start = name(&generator)
      let (function, other) = generator.pick(functions)
      let isWhole = generator.chance(0.3)
      let pattern = start.text(0) + (isWhole ? "_" : "%")
      return (
        "\(left) LIKE \(call(function, "'\(pattern)'"))",
        { one, _ in
          let (text, start) = (
            Array(one.text(form).unicodeScalars), start.text(other).unicodeScalars
          )
          return text.starts(with: start) && (!isWhole || text.count == start.count + 1)
        }
      )
    }
  }

  @Test(arguments: Seeds.each(91...92))
  func `conditions on texts without accents and case find what a look at each finds`(
    seed: UInt64
  ) async throws {
    var generator = SeededGenerator(seed: seed)
    let names = (0..<300).map { number in
      (number, Self.name(&generator), generator.chance(0.7) ? Self.name(&generator) : nil)
    }
    let service = try await Service(
      names.map { number, name, other in
        TwinFeature(
          number, 1, 1,
          #"{"name":"\#(name.text(0))"\#(other.map { #","other":"\#($0.text(0))""# } ?? "")}"#)
      })
    var found = 0
    for _ in 0..<250 {
      let (text, holds) = Self.condition(&generator)
      let answer = await service.get(
        "/collections/c/items?limit=1000&filter=\(TwinRequest.percentEncoded(text))")
      let wanted = names.filter { holds($0.1, $0.2) == true }.map { "\($0.0)" }
      #expect(answer.ids == wanted, "\(text)")
      found += wanted.count
    }
    #expect(found > 1000)
  }

  @Test func `what only texts can be is unknown of others`() async throws {
    let service = try await Service([
      TwinFeature(1, 1, 1, #"{"name":5}"#), TwinFeature(2, 2, 2, #"{"name":"é"}"#),
      TwinFeature(3, 3, 3),
    ])
    for (filter, wanted) in [
      ("ACCENTI(name) = 'e'", ["2"]), ("ACCENTI(name) <> 'x'", ["2"]), ("ACCENTI(name) = 5", []),
      ("ACCENTI(name) IS NULL", ["1", "3"]), ("ACCENTI(5) = 5", []),
      ("NOT ACCENTI(name) = 'x'", ["2"]),
    ] {
      let query = "filter=\(TwinRequest.percentEncoded(filter))"
      #expect(
        await service.get("/collections/c/items?\(query)").ids.sorted() == wanted, "\(filter)")
    }
    for filter in [
      "ACCENTI(name)", "ACCENTI name = 'e'", "name LIKE ACCENTI(CASEI('e')", "name LIKE ACCENTI(5)",
    ] {
      (await service.get("/collections/c/items?filter=\(TwinRequest.percentEncoded(filter))"))
        .expectProblem(400, at: "filter")
    }
  }
}
