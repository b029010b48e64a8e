import GeoFormats
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct JSONParserTests {
  @Test(arguments: [
    "null", "true", "false", "0", "-0", "1.5e-3", "\"\"", "[]", "{}", " [ ] ", "\u{FEFF}[1]",
    "[[],{}]", "{\"a\":1,\"a\":2}", "\"\\ud83d\\ude00\\u0000\\/\"", "[1 , 2\t,\r\n3]",
    "123456789012345678901234567890", "1e00000000000000000000001", "0.0e-99999999999999999999",
    "{\"\":{\"\":[{\"\":null}]}}", "\"\u{7F}\u{2028}é\"", "1E+2", "[\"\\\"]\",\"[\"]", "  7  ",
  ])
  func accepts(_ json: String) { #expect(jsonError(json) == nil) }

  @Test(arguments: [
    "", " ", "\u{FEFF}", "\u{FEFF}\u{FEFF}1", "[", "]", "{", "}", "[1", "[1,", "[1,]", "[,1]",
    "[,]", "[1 2]", "[1,,2]", "1 2", "1,2",
    "[1],[2]", "[1][2]", "1]", "[1]]", "[[1]", "[1}", "{\"a\":1]", "{\"a\"}", "{\"a\":}",
    "{\"a\":1,}",
    "{,}", "{\"a\" 1}", "{\"a\"::1}", "{a:1}", "{1:1}", "{\"a\":1 \"b\":2}", "{\"a\":1}}",
    "{\"a\",\"b\"}",
    "[\"a\":1]", "tru", "truex", "TRUE", "nul", "nulll", "falsey", "fals", "true false",
    "true\"a\"", "\"a\"true",
    "nan", "NaN", "Infinity", "-Infinity", "-", "+1", ".5", "1.", "1.e5", "01", "-01", "1e", "1e+",
    "0x10",
    "1_000", "1a", "1\"a\"", "- 1", "--1", "1e999", "-1e999", "\"", "\"a", "\"\\\"", "\"\\x\"",
    "\"\\u12\"",
    "\"\\u12G4\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"a\nb\"", "\"\u{1}\"",
    "'a'", "\"a\"\"b\"", "\"a\"b",
    "// c\n1", "/*c*/1", "1//", "1\\", "\\", "[\\]", "\u{C}1", "\u{A0}1", "[1]\u{0}", "\u{0}",
    "[\u{0}1]", "\u{2028}1", "]1[", "],[", "[1]//]",
    "{\"a\":\"b}", "[\"]", "[1,\"]", "{\"a\":tru}", "{\"a\":[}", "#", "[1:2]", "{{}}", "{[]:1}",
    "[}", "{]",
  ])
  func rejects(_ json: String) { #expect(jsonError(json) != nil) }

  @Test func rejectsBrokenUTF8() {
    let broken: [[UInt8]] = [
      [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80],
      [0xF8, 0x88, 0x80, 0x80, 0x80],
    ]
    for bytes in broken {
      #expect(jsonError([0x22] + bytes + [0x22]) != nil)
      #expect(jsonError([0x5B] + bytes + [0x5D]) != nil)
      #expect(jsonError(bytes) != nil)
      #expect(jsonError(Array("{\"a".utf8) + bytes + Array("\":1}".utf8)) != nil)
    }
  }

  /// Only four characters are white space, and only structural characters separate values.
  @Test func separators() {
    for byte in UInt8.min...UInt8.max {
      let space = [0x20, 0x09, 0x0A, 0x0D].contains(byte)
      #expect((jsonError([byte, 0x5B, 0x5D]) == nil) == space)
      #expect((jsonError([0x5B, 0x5D, byte]) == nil) == space)
      #expect((jsonError([0x5B, byte, 0x5D]) == nil) == (space || (0x30...0x39).contains(byte)))
      #expect((jsonError([0x5B, 0x22, 0x22, byte, 0x31, 0x5D]) == nil) == (byte == 0x2C))
      #expect(
        (jsonError([0x5B, 0x31, byte, 0x31, 0x5D]) == nil)
          == ([0x2C, 0x2E, 0x45, 0x65].contains(byte) || (0x30...0x39).contains(byte)))
    }
  }

  @Test func reasonsAndOffsets() {
    #expect(jsonError("[1,2,tru]") == JSONError(reason: "invalid literal", offset: 5))
    #expect(jsonError("  1e999") == JSONError(reason: "number out of range", offset: 2))
    #expect(jsonError("\u{FEFF}[1,1e999]") == JSONError(reason: "number out of range", offset: 6))
    #expect(jsonError("") == JSONError(reason: "the document is empty"))
    #expect(jsonError("{} []")?.reason == "something follows the value")
    #expect(jsonError("{} , 1") == JSONError(reason: "something follows the value", offset: 5))
    #expect(
      jsonError("\"\\x\"") == JSONError(reason: "a string holds an invalid escape", offset: 0))
    #expect(jsonError([0x22, 0xFF, 0x22])?.reason == "the text is not valid UTF-8")
  }

  @Test func depth() {
    func nested(_ n: Int) -> [UInt8] {
      [UInt8](repeating: 0x5B, count: n) + [UInt8](repeating: 0x5D, count: n)
    }
    #expect(jsonError(nested(1000)) == nil)
    #expect(jsonError(nested(1001))?.reason == "nested too deeply")
    #expect(jsonError(nested(3), maximumDepth: 2) != nil)
    #expect(jsonError("[[1]]", maximumDepth: 2) == nil)
    #expect(jsonError("1", maximumDepth: .min) == nil)
    #expect(jsonError(nested(2000), maximumDepth: .max) == nil)
    #expect(jsonError(nested(100_000), maximumDepth: .max) != nil)
    #expect(jsonError([UInt8](repeating: 0x5B, count: 100_000)) != nil)
    #expect(jsonError(String(repeating: "{\"a\":", count: 100_000)) != nil)
    #expect(jsonError(String(repeating: "[{\"a\":", count: 100_000)) != nil)
  }

  @Test func views() throws {
    let value = try parsed(
      #" {"a" : [1, "x\n\u0000é", {"b": null} ] , "\u0061": true, "n":-12.50 ,"o":{ "k" : 1 } } "#)
    #expect(value.kind == .object)
    #expect(value.count == 4)
    #expect(value["a"]?.bool == true)
    #expect(value["n"]?.number == -12.5)
    #expect((value["n"]?.text).map(text) == "-12.50")
    #expect((value["o"]?.text).map(text) == #"{ "k" : 1 }"#)
    #expect(value["missing"] == nil && value["a"]?["b"] == nil)
    let first = try #require(value.members.first { _ in true })
    #expect(text(first.key) == "a")
    #expect(text(first.value.text) == #"[1, "x\n\u0000é", {"b": null} ]"#)
    #expect(first.value.count == 3)
    #expect(first.value.elements.map(\.kind) == [.number, .string, .object])
    #expect(first.value.elements.map(\.string) == [nil, "x\n\u{0}é", nil])
    #expect(Array(value.elements.map(\.kind)).isEmpty)
    #expect(text(value.text).first == "{" && text(value.text).last == "}")
  }

  /// Numbers of every shape compared with the C library: many digits, huge and tiny exponents.
  @Test func numbersAgreeWithTheCLibrary() throws {
    var random = SeededGenerator(seed: 7)
    var texts = [
      "0.12345678901234567890123456789", "0.1234567890123456789012345", "-0", "-0.0",
      "9007199254740993", "18446744073709551616", "18446744073709551615", "2.2250738585072011e-308",
      "4.9e-324", "2e-324", "1.7976931348623157e308", "1e-400",
      "0.000000000000000000000000000001234567890123456789012345",
    ]
    func digits(_ range: ClosedRange<Int>) -> String {
      String(
        (0..<Int.random(in: range, using: &random)).map { _ in
          Character(String(Int.random(in: 0...9, using: &random)))
        })
    }
    for _ in 0..<20_000 {
      var number = Bool.random(using: &random) ? "-" : ""
      number +=
        Bool.random(using: &random)
        ? "0" : "\(Int.random(in: 1...9, using: &random))" + digits(0...25)
      if Bool.random(using: &random) { number += "." + digits(1...30) }
      if Int.random(in: 0..<3, using: &random) == 0 {
        number += "e\(Int.random(in: -330...300, using: &random))"
      }
      texts.append(number)
    }
    let parser = JSONParser()
    for number in texts {
      let expected = strtod(number, nil)
      let bytes = Array("[\(number)]".utf8)
      let got = try? bytes.withUnsafeBytes {
        try parser.parse($0).elements.first { _ in true }?.number
      }
      #expect(got?.bitPattern == (expected.isFinite ? expected.bitPattern : nil), "\(number)")
    }
  }

  @Test func aParserIsReusedAndShrinks() throws {
    let parser = JSONParser()
    let large = Array("[\(String(repeating: "1,", count: 2_000_000))1]".utf8)
    for _ in 0..<2 {
      #expect(try parser.parse(large).count == 2_000_001)
      #expect(throws: JSONError.self) { _ = try parser.parse(Array("[".utf8)) }
      #expect(try parser.parse(Array("[]".utf8)).count == 0)
    }
  }
}
