import ClusterCore
import GeoFormats
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CQL2Tests {
  private typealias E = FilterExpression
  private typealias O = FilterExpression.Operand

  private func p(_ name: String) -> O { .property(Array(name.utf8)) }
  private func s(_ text: String) -> O { .string(Array(text.utf8)) }

  private func like(_ name: String, _ pattern: String) throws -> E {
    .like(p(name), try #require(LikePattern(Array(pattern.utf8))))
  }

  @Test func `keywords are of ASCII letters`() throws {
    // Swift writes the first in lower case as a k.
    for name in ["LI\u{212A}E", "i\u{301}n", "a\u{301}nd"] {
      #expect(
        try CQL2.parse("\(name) = 1") == .comparison(p(name), .equal, .number(1)), "\(name)")
    }
  }

  @Test func `the text of drafts, as GDAL writes it`() throws {
    for (draft, text) in [
      ("d >= '2024-01-02T'", "d >= DATE('2024-01-02')"),
      ("t < '2024-05-15T00:00:00Z'", "t < TIMESTAMP('2024-05-15T00:00:00Z')"),
      ("ok = 1", "ok = 1 OR ok = TRUE"), ("ok = 0", "ok = 0 OR ok = FALSE"),
      ("NOT (ok = 1)", "NOT ok = 1 OR NOT ok = TRUE"),
      ("NOT (NOT (ok = 1))", "ok = 1 OR ok = TRUE"),
      ("NOT NOT NOT ok = 1", "NOT ok = 1 OR NOT ok = TRUE"),
      ("NOT (NOT (ok = 1) OR b = 2)", "(ok = 1 OR ok = TRUE) AND NOT b = 2"),
      ("NOT (a = 5 OR a = TRUE)", "NOT a = 5 AND NOT a = TRUE"),
      (
        "NOT (ok = 0 AND (a > 5 OR a = 1))",
        "(NOT ok = 0 OR NOT ok = FALSE) OR (NOT a > 5 AND (NOT a = 1 OR NOT a = TRUE))"
      ),
      ("ok <> 1", "ok <> 1 OR ok <> TRUE"), ("n > 1", "n > 1"), ("n = 2", "n = 2"),
      ("n = '2024-01-02'", "n = '2024-01-02'"), ("n = '2024-01-02T1'", "n = '2024-01-02T1'"),
      ("n = 'aT'", "n = 'aT'"), ("n ILIKE 'Ä%'", "CASEI(n) LIKE CASEI('Ä%')"),
      ("n not ilike 'a_'", "NOT (CASEI(n) LIKE CASEI('a_'))"),
      ("ilike = 1", "ilike = 1 OR ilike = TRUE"),
    ] {
      #expect(try CQL2.normal(draft, ofDraft: true) == CQL2.normal(text), "\(draft)")
    }
    #expect(throws: CQL2Error.self) { try CQL2.normal("n ILIKE 'a'") }
    #expect(try CQL2.normal("ok = 1") == CQL2.normal("(ok = 1)"))
  }

  @Test func `each operator`() throws {
    let cases: [(String, E)] = [
      ("a = 1", .comparison(p("a"), .equal, .number(1))),
      ("a<>1", .comparison(p("a"), .notEqual, .number(1))),
      ("a<1.5e3", .comparison(p("a"), .less, .number(1500))),
      ("a <= -1", .comparison(p("a"), .lessOrEqual, .number(-1))),
      ("a>+.5", .comparison(p("a"), .greater, .number(0.5))),
      ("5. >= a", .comparison(.number(5), .greaterOrEqual, p("a"))),
      ("'x' = \"a\"", .comparison(s("x"), .equal, p("a"))),
      ("a = b", .comparison(p("a"), .equal, p("b"))),
      ("a = TRUE", .comparison(p("a"), .equal, .bool(true))),
      ("false = a", .comparison(.bool(false), .equal, p("a"))),
      ("TRUE", .literal(true)),
      ("NOT False", .not(.literal(false))),
      ("a is null", .isNull(p("a"))),
      ("a IS NOT NULL", .not(.isNull(p("a")))),
      ("a BETWEEN 1 AND 2", .between(p("a"), .number(1), .number(2))),
      ("a NOT BETWEEN b AND 'c'", .not(.between(p("a"), p("b"), s("c")))),
      ("a IN (1,'x', b, true)", .inList(p("a"), [.number(1), s("x"), p("b"), .bool(true)])),
      ("1 not in (a)", .not(.inList(.number(1), [p("a")]))),
      ("a LIKE 'b%'", try like("a", "b%")),
      (#"a NOT LIKE '\%_'"#, .not(try like("a", #"\%_"#))),
    ]
    for (text, expected) in cases { #expect(try CQL2.parse(text) == expected, "\(text)") }
  }

  @Test func `names and strings`() throws {
    let names: [(String, String)] = [
      ("name", "name"), ("_a1", "_a1"), ("addr:street", "addr:street"), ("a.b", "a.b"),
      (":x", ":x"), ("größe", "größe"), ("名前", "名前"), ("\"two words\"", "two words"),
      ("\"say \"\"hi\"\"\"", "say \"hi\""), ("\"and\"", "and"), ("\"it's\"", "it's"),
      ("inn", "inn"), ("\"\"", ""), ("e\u{301}", "e\u{301}"), ("\"a-b\"", "a-b"),
    ]
    for (text, name) in names {
      #expect(try CQL2.parse("\(text) = 1") == .comparison(p(name), .equal, .number(1)), "\(text)")
    }
    let escaped: [(String, String)] = [
      (#"'it\'s'"#, "it's"), (#"'\a\b\t\n\v\f\r'"#, "\u{7}\u{8}\t\n\u{B}\u{C}\r"),
      (#"'\\'"#, #"\\"#),
      (#"'\\n'"#, #"\\n"#), (#"'\x\%\_'"#, #"\x\%\_"#), (#"'\\\''"#, #"\\'"#),
    ]
    for (text, string) in escaped {
      #expect(try CQL2.parse("a = \(text)") == .comparison(p("a"), .equal, s(string)), "\(text)")
    }
    #expect(throws: CQL2Error.self) { try CQL2.parse(#"a = 'b\'"#) }
    // In a name a backslash is one.
    #expect(try CQL2.parse(#""a\n" = 1"#) == .comparison(p(#"a\n"#), .equal, .number(1)))
    for (text, string) in [("''", ""), ("'it''s'", "it's"), ("'\"'", "\""), ("'日\n'", "日\n")] {
      #expect(try CQL2.parse("a=\(text)") == .comparison(p("a"), .equal, s(string)), "\(text)")
    }
  }

  @Test func `what binds how`() throws {
    let (a, b, c) = (E.isNull(p("a")), E.isNull(p("b")), E.isNull(p("c")))
    let cases: [(String, E)] = [
      ("a IS NULL OR b IS NULL AND c IS NULL", .or([a, .and([b, c])])),
      ("(a IS NULL OR b IS NULL) AND c IS NULL", .and([.or([a, b]), c])),
      ("NOT a IS NULL AND b IS NULL", .and([.not(a), b])),
      ("NOT (a IS NULL AND b IS NULL)", .not(.and([a, b]))),
      ("a IS NULL and b IS NULL And c IS NULL", .and([a, b, c])),
      ("not not((a is null))", .not(.not(a))),
      (
        "a BETWEEN 1 AND 2 AND b IS NULL",
        .and([.between(p("a"), .number(1), .number(2)), b])
      ),
    ]
    for (text, expected) in cases { #expect(try CQL2.parse(text) == expected, "\(text)") }
  }

  /// The text, the position of the error, and a part of its message.
  @Test(
    arguments: [
      ("", 1, "expected a condition, found the end"), ("   ", 4, "found the end"),
      ("a", 1, "alone is not a condition"), ("a AND b = 1", 1, "write = TRUE"),
      ("a = 1 AND", 10, "expected a condition"), ("a = ", 5, "expected a value"),
      ("a == 1", 3, "write ="), ("a != 1", 3, "write <>"), ("a = NULL", 5, "IS NULL"),
      ("a <> null", 6, "IS NOT NULL"), ("a IN (NULL)", 7, "IS NULL"),
      ("a = 'x", 5, "not closed"), ("\"a = 1", 1, "not closed"),
      ("ä = 'ö' x", 9, "AND, OR or the end"),
      ("日本 = 'x' AND ? = 1", 14, "found “?”"), ("a = 1 b = 2", 7, "found the property “b”"),
      ("(a = 1", 7, "( at character 1"), ("a = 1)", 6, "AND, OR or the end"),
      ("a IN 1", 6, "("), ("a IN ()", 7, "expected a value"), ("a IN (1 2)", 9, "a comma or )"),
      ("a IN (1,)", 9, "expected a value"), ("a LIKE b", 8, "single quotes"),
      ("a LIKE \"b%\"", 8, "this is a name"), (#"a LIKE 'b\'"#, 8, "not closed"),
      ("a LIKE 5", 8, "a pattern"), ("a BETWEEN 1 OR 2", 13, "AND and the upper value"),
      ("a BETWEEN 1", 12, "AND and the upper value"), ("a IS 5", 6, "NULL or NOT NULL"),
      ("a IS NOT 5", 10, "expected NULL"), ("a NOT = 5", 7, "BETWEEN, IN or LIKE"),
      ("a + = 2", 5, "expected a value"), ("a ~ 1 = 2", 3, "found “~”"),
      ("5", 2, "after the value"),
      ("UNACCENT(a) = 'x'", 1, "none of that name"),
      ("a = DATE('2020-01-32')", 10, "a date such as"),
      ("and = 1", 1, "\"and\""), ("a = 12abc", 5, "is not a number"),
      ("a = 1.2.3", 5, "not a number"),
      ("a = 1e999", 5, "not a number"), ("a = .", 5, "not a number"), ("a = ‘x’", 5, "straight"),
      ("a ilike 'b%'", 3, "is CASEI(name) LIKE CASEI("), ("a NOT ILIKE 'b%'", 7, "CASEI("),
      ("ILIKE(a, 'b')", 1, "is CASEI(name) LIKE CASEI("), ("CASEI(a) Ilike 'b'", 10, "CASEI("),
      ("a = 1 && b = 2", 7, "AND"), ("a = 1 || b = 2", 7, "OR"), ("!a", 1, "NOT"),
      ("a = 1; b", 6, "“;”"), ("a\u{0} = 1", 2, ""), ("NOT", 4, "expected a condition"),
      ("a b 'c'", 3, "after the property"), ("a = [1]", 5, "parentheses"),
    ] as [(String, Int, String)])
  func errors(_ text: String, _ place: Int, _ part: String) {
    do throws(CQL2Error) {
      let result = try CQL2.parse(text)
      Issue.record("\(text) is \(result)")
    } catch {
      guard case .syntax(let character, let detail) = error else {
        Issue.record("\(text): \(error)")
        return
      }
      #expect(character == place, "\(text): \(error)")
      #expect(detail.contains(part), "\(text): \(error)")
      #expect(error.description == "syntax error at character \(place): \(detail)")
    }
  }

  private func refusal(_ bytes: [UInt8]) -> CQL2Error? {
    do throws(CQL2Error) {
      _ = try CQL2.parse(bytes)
      return nil
    } catch {
      return error
    }
  }

  private func refusal(_ text: String) -> CQL2Error? { refusal(Array(text.utf8)) }

  private func isTooDeep(_ text: String) -> Bool {
    if case .tooDeep? = refusal(text) { true } else { false }
  }

  private func isTooLarge(_ text: String) -> Bool {
    if case .tooLarge? = refusal(text) { true } else { false }
  }

  @Test func `limits`() {
    func repeated(_ text: String, _ count: Int) -> String {
      String(repeating: text, count: count)
    }
    #expect(isTooLarge(repeated("a = 1 OR ", 120_000) + "TRUE"))
    #expect(isTooLarge(repeated("(", 100_000)))
    #expect(isTooDeep(repeated("(", 60_000)))
    #expect(isTooDeep(repeated("NOT ", 16_000)))
    #expect(isTooDeep(repeated("NOT(", 51) + "TRUE" + repeated(")", 51)))
    #expect(refusal(repeated("NOT(", 50) + "TRUE" + repeated(")", 50)) == nil)
    #expect(refusal(repeated("(", 100) + "TRUE" + repeated(")", 100)) == nil)
    // Conditions side by side do not nest.
    #expect(refusal(repeated("(TRUE) AND ", 5000) + "TRUE") == nil)
    #expect(refusal(repeated("a=1 OR ", 9000) + "TRUE") == nil)
    #expect(refusal("a IN (" + repeated("1,", 30_000) + "1)") == nil)
    #expect(refusal("a LIKE '" + repeated("%", 1024) + "'") == nil)
    #expect(isTooLarge("a LIKE '" + repeated("%", 1025) + "'"))
    #expect(refusal("a = '" + repeated("x", 65_536 - 6) + "'") == nil)
    #expect(isTooLarge("a = '" + repeated("x", 65_536 - 5) + "'"))
  }

  @Test func `bytes that are no text`() {
    #expect(refusal([97, 61, 39, 0xFF, 39]).map { "\($0)".contains("character 4") } == true)
    #expect(refusal([0xC3]).map { "\($0)".contains("character 1") } == true)
    #expect(refusal([97, 61, 39, 0xED, 0xA0, 0x80, 39]) != nil)
  }

  @Test func `random bytes and mutations never trap`() {
    var generator = SeededGenerator(seed: 77)
    let words = [
      "a", "\"b", "'c'", "'", "(", ")", "=", "<", ">", "<>", "AND", "OR", "NOT", "IN", "LIKE", "IS",
      "NULL", "BETWEEN", "1", "-", ".", "e", "ä", "\u{301}", ",", "%", "\\", "TRUE", "!", "\0", "🚲",
    ]
    for _ in 0..<5000 {
      let text = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        words[Int.random(in: 0..<words.count, using: &generator)]
          + (Bool.random(using: &generator) ? " " : "")
      }.joined()
      if case .syntax(let character, _)? = refusal(text) {
        #expect(character >= 1 && character <= text.unicodeScalars.count + 1)
      }
      _ = refusal((0..<9).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }
  }

  @Test func `random expressions come back from their text`() throws {
    var generator = SeededGenerator(seed: 78)
    for _ in 0..<2000 {
      let (text, expression) = randomFilter(depth: 4, &generator)
      #expect(try CQL2.parse(text) == expression, "\(text)")
    }
  }

  private func randomOperand(_ generator: inout SeededGenerator) -> (String, O) {
    switch Int.random(in: 0...4, using: &generator) {
    case 0: return ("a", p("a"))
    case 1: return ("\"x \"\"y\"", p("x \"y"))
    case 2:
      let value = Double(Int.random(in: -999...999, using: &generator)) / 8
      return ("\(value)", .number(value))
    case 3: return ("'it''s ä'", s("it's ä"))
    default: return ("fAlse", .bool(false))
    }
  }

  private func randomFilter(depth: Int, _ generator: inout SeededGenerator) -> (String, E) {
    let kind = Int.random(in: 0...(depth > 0 ? 5 : 2), using: &generator)
    switch kind {
    case 0:
      let (a, b) = (randomOperand(&generator), randomOperand(&generator))
      return ("\(a.0)\n>=\t\(b.0)", .comparison(a.1, .greaterOrEqual, b.1))
    case 1:
      let (a, b, c) = (
        randomOperand(&generator), randomOperand(&generator), randomOperand(&generator)
      )
      return ("\(a.0) not in(\(b.0) ,\(c.0))", .not(.inList(a.1, [b.1, c.1])))
    case 2:
      let a = randomOperand(&generator)
      return ("\(a.0) IS NULL", .isNull(a.1))
    case 3:
      let inner = randomFilter(depth: depth - 1, &generator)
      return ("NOT (\(inner.0))", .not(inner.1))
    default:
      let parts = (0..<Int.random(in: 2...3, using: &generator)).map { _ in
        randomFilter(depth: depth - 1, &generator)
      }
      let text = parts.map { "(\($0.0))" }.joined(separator: kind == 4 ? "AND" : "or")
      return (text, kind == 4 ? .and(parts.map(\.1)) : .or(parts.map(\.1)))
    }
  }
}
