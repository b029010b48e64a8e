import HTTPServer
import TestSupport
import Testing

@testable import ClusterAPI

/// Logs tell names and lengths, whatever a request holds.
@Suite(.timeLimit(.minutes(10))) struct RequestShapeTests {
  @Test(arguments: [
    ("", ""), ("a=1", "a=1"), ("a=&b&c=d=e", "a=0&b=0&c=3"), ("a=%20%21&&a=2", "a=6&a=1"),
    (String(repeating: "x", count: 70) + "=1", String(repeating: "x", count: 64) + "…=1"),
  ])
  func queries(query: String, shape: String) { #expect(RequestShape.ofQuery(query) == shape) }

  @Test(arguments: [
    (#"{}"#, ""), (#" { "a" : 12 , "b":"}\",\"" }"#, "a=2&b=8"),
    (#"{"a":{"b":[1,2,{"c":3}]},"d":[],"e":null}"#, "a=19&d=2&e=4"),
    (#"{"a":1,"b":"#, "a=1"), (#"{"a":"x"#, ""), (#"{:1,"a"}:"#, "=1"),
  ])
  func objects(body: String, shape: String) {
    #expect(RequestShape.ofBody(RequestBody(Array(body.utf8))) == shape)
  }

  @Test func othersHaveNone() {
    #expect(RequestShape.ofQuery(nil) == nil)
    let long = #"{"a":"\#(String(repeating: "b", count: 20_000))"}"#
    for body in ["", "  ", "[1]", "secret", long] {
      #expect(RequestShape.ofBody(RequestBody(Array(body.utf8))) == nil)
    }
    let many = (0..<100).map { "\"n\($0)\":0" }.joined(separator: ",")
    let shape = RequestShape.ofBody(RequestBody(Array("{\(many)}".utf8))) ?? ""
    #expect(shape.hasSuffix("&n39=1&…"))
  }

  @Test func anythingIsRead() throws {
    var generator = SeededGenerator(seed: 15)
    let alphabet = Array("{}[]\":,\\ a1".utf8)
    for _ in 0..<20_000 {
      let text =
        [UInt8(ascii: "{")] + (0..<generator.int(0...30)).map { _ in generator.pick(alphabet) }
      let shape = try #require(RequestShape.ofBody(RequestBody(text)))
      // No byte belongs to two values.
      let sizes = shape.split(separator: "&").compactMap { Int($0.drop { $0 != "=" }.dropFirst()) }
      #expect(sizes.reduce(0, +) < text.count, "\(String(decoding: text, as: UTF8.self))")
    }
  }
}
