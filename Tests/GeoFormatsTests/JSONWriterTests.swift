import GeoFormats
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct JSONWriterTests {
  private func written(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter(reserving: 0)
    body(&writer)
    return text(writer.bytes)
  }

  @Test func commas() {
    let json = written { w in
      w.beginObject()
      w.member("a", 1)
      w.key("b")
      w.beginArray()
      w.value("x")
      w.null()
      w.value(true)
      w.beginArray()
      w.endArray()
      w.beginObject()
      w.endObject()
      w.raw(Array("[1]".utf8))
      w.value(Int64.min)
      w.endArray()
      w.member("c", "[{")
      w.member("d", String?.none)
      w.endObject()
    }
    #expect(
      json == #"{"a":1,"b":["x",null,true,[],{},[1],-9223372036854775808],"c":"[{","d":null}"#)
    #expect(jsonError(json) == nil)
  }

  @Test(arguments: [
    (0, "0"), (-0.0, "0"), (1, "1"), (-1, "-1"), (100_000, "100000"), (1e15, "1000000000000000"),
    (1e20, "100000000000000000000"), (0.1, "0.1"), (-122.4194155, "-122.4194155"),
    (1e-6, "0.000001"),
    (0.1 + 0.2, "0.30000000000000004"), (12345678.9, "12345678.9"), (1e21, "1e+21"),
    (1e-7, "0.0000001"),
    (1.5e-7, "1.5e-07"), (.infinity, "null"), (.nan, "null"), (.leastNonzeroMagnitude, "5e-324"),
    (-0.5, "-0.5"),
    (1.0000001, "1.0000001"),
  ])
  func doubles(_ value: Double, _ expected: String) {
    #expect(written { $0.value(value) } == expected)
  }

  @Test func overloadsAndHandingOver() {
    var writer = JSONWriter(reserving: 0)
    let owned = "q\"" + String(repeating: "x", count: 200)
    let maybe: String? = owned
    writer.beginObject()
    writer.member("a", owned)
    writer.member("b", maybe)
    writer.member("c", String?.none)
    writer.key("e")
    writer.coordinate(latitude: 1.123456789, longitude: -180)
    writer.endObject()
    let expected =
      #"{"a":"q\"\#(owned.dropFirst(2))","b":"q\"\#(owned.dropFirst(2))","c":null,"#
      + #""e":{"latitude":1.123456789,"longitude":-180}}"#
    #expect(writer.count == expected.utf8.count)
    #expect(text(writer.bytes) == expected)
    #expect(text(writer.take()) == expected)
    #expect(writer.bytes.isEmpty)
    writer.value(true)
    #expect(text(writer.take()) == "true")
  }

  /// Doubles are read back bit for bit: random bit patterns, decimals and their neighbours.
  @Test func doublesRoundTrip() throws {
    var random = SeededGenerator(seed: 1)
    let parser = JSONParser()
    for round in 0..<60_000 {
      var value: Double
      switch round % 4 {
      case 0: value = Double(bitPattern: random.next())
      case 1: value = Double(Int64(random.next() % 3_600_000_000)) / 1e7 - 180
      case 2: value = (Double(Int64(random.next() % 3_600_000_000)) / 1e7 - 180).nextUp
      default: value = Double(Int64(truncatingIfNeeded: random.next() >> (random.next() % 64)))
      }
      if !value.isFinite { value = 0 }
      var writer = JSONWriter()
      writer.value(value)
      let got = try writer.bytes.withUnsafeBytes { try parser.parse($0).number }
      #expect(got?.bitPattern == value.bitPattern, "\(value)")
      #expect(writer.bytes.count <= "\(value)".utf8.count + 20, "\(value)")
    }
  }

  /// Random strings are read back unchanged, at every length and alignment.
  @Test func stringsRoundTrip() throws {
    var random = SeededGenerator(seed: 2)
    let parser = JSONParser()
    let palette = Array(
      "\u{0}\u{1}\u{8}\t\n\u{C}\r\u{1F} \"\\/aaaaaaaaaaaaa\u{7F}é€😀\u{301}".unicodeScalars)
    for round in 0..<5000 {
      var string = String.UnicodeScalarView()
      for _ in 0..<(round % 40) { string.append(palette.randomElement(using: &random) ?? "a") }
      var writer = JSONWriter()
      writer.beginObject()
      Array(String(string).utf8).withUnsafeBytes { writer.keyUTF8($0) }
      writer.value(String(string))
      writer.endObject()
      let (key, value) = try writer.bytes.withUnsafeBytes { bytes in
        let member = try parser.parse(bytes).members.first { _ in true }
        return (member.map { text($0.key) }, member?.value.string)
      }
      #expect(value.map { Array($0.utf8) } == Array(String(string).utf8))
      #expect(key.map { Array($0.utf8) } == Array(String(string).utf8))
    }
  }
}
