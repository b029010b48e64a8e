import ClusterCore
import GeoFormats
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct JSONPropertyDecoderTests {
  /// A readable copy of a value.
  private func value(_ name: String, in properties: String) -> String {
    var result: [String] = []
    Array(properties.utf8).withUnsafeBytes { bytes in
      JSONPropertyDecoder().withValue(of: Array(name.utf8), in: bytes) { value in
        switch value {
        case .missing: result.append("missing")
        case .bool(let value): result.append("bool \(value)")
        case .number(let value): result.append("number \(value)")
        case .string(let bytes): result.append("string \(text(bytes))")
        case .other(let bytes): result.append("other \(text(bytes))")
        }
      }
    }
    #expect(result.count == 1)
    return result.first ?? ""
  }

  @Test(
    arguments: [
      ("a", "{}", "missing"), ("a", #"{"a":null}"#, "missing"), ("a", #"{"a":true}"#, "bool true"),
      ("a", #"{"a":false}"#, "bool false"), ("a", #"{"a":1}"#, "number 1.0"),
      ("a", #"{"a":-0.5e1,"b":2}"#, "number -5.0"), ("a", #"{"a":"x"}"#, "string x"),
      ("a", #"{"a":""}"#, "string "), ("a", #"{"a":"\u00e4\n\""}"#, "string ä\n\""),
      ("a", #"{"a":[1,"]"],"b":2}"#, #"other [1,"]"]"#),
      ("a", #"{"a":{"a":1}}"#, #"other {"a":1}"#),
      ("a", #"{"b":{"a":1}}"#, "missing"), ("a", #"{"a":1,"a":2}"#, "number 2.0"),
      ("a", #"{"a":1,"\u0061":2}"#, "number 2.0"), ("a", #"{"b":"a","c":1}"#, "missing"),
      ("a", #"{"b":["a","a"],"a":3}"#, "number 3.0"),
      ("b", #"{"ab":1,"b":2,"ba":3}"#, "number 2.0"),
      ("", #"{"":1}"#, "number 1.0"), (":", #"{"a":":"}"#, "missing"),
      (":", #"{"a":":",":":4}"#, "number 4.0"), (",", #"{"a":",","b":5}"#, "missing"),
      (#"x","y"#, #"{"q":"x","y":1}"#, "missing"), (#"x"y"#, #"{"x\"y":7}"#, "number 7.0"),
      ("y", #"{"x\"y":7}"#, "missing"), ("y", #"{"x":"\"y\":1"}"#, "missing"),
      ("]", #"{"a":["]"],"b":1}"#, "missing"), ("population", #"{"population":12}"#, "number 12.0"),
      ("population", #"{"populatioN":12,"opulation":1}"#, "missing"),
      ("12345678", #"{"12345678":1,"123456789":2}"#, "number 1.0"),
      ("ä", #"{"ä":1}"#, "number 1.0"), ("a", #"{"a":0.1}"#, "number 0.1"),
      ("a", #"{"a":12345678901234567890}"#, "number 1.2345678901234567e+19"),
      ("a", #"{"b":"{","a":1}"#, "number 1.0"),
    ] as [(String, String, String)])
  func values(_ name: String, _ properties: String, _ expected: String) {
    #expect(value(name, in: properties) == expected, "\(name) in \(properties)")
  }

  @Test func `what a parser finds is found`() throws {
    var generator = SeededGenerator(seed: 31)
    let names = [
      "a", "ab", "abc", "name", "population", "x:y", ":", ",", "é", "a\"b", "", "}", "]",
    ]
    let values = [
      "1", "-2.5", "true", "null", "\"a\"", "\":\"", "\",\"", "\"\"", "[\"a\",\":\"]", "{\"a\":1}",
      "\"a\\\"b\"", "\"ab\"", "\"}\"", "[]", "\"name\"",
    ]
    for _ in 0..<3000 {
      let members = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
        let name = names[Int.random(in: 0..<names.count, using: &generator)]
        // Few backslashes and objects, so that the fast path is taken, too.
        let choices = Bool.random(using: &generator) ? values : Array(values.prefix(8))
        let value = choices[Int.random(in: 0..<choices.count, using: &generator)]
        return "\"\(name == "a\"b" ? "a\\\"b" : name)\":\(value)"
      }
      let object = "{" + members.joined(separator: ",") + "}"
      let root = try parsed(object)
      for name in names {
        let member = Array(name.utf8).withUnsafeBytes { root[utf8: $0] }
        let found = Array(object.utf8).withUnsafeBytes {
          PropertyReader.value(of: Array(name.utf8), in: $0).map { text($0) }
        }
        #expect(found == member.map { text($0.text) }, "\(name) in \(object)")
      }
    }
  }
}
