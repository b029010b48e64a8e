import GeoFormats
import TestSupport
import Testing

/// Digits compared with those of Swift's standard library.
@Suite(.timeLimit(.minutes(5))) struct JSONDigitsTests {
  private func written(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter(reserving: 0)
    body(&writer)
    return text(writer.bytes)
  }

  @Test func integers() {
    var random = SeededGenerator(seed: 11)
    for round in 0..<40_000 {
      // Numbers of every bit length.
      let value = Int(truncatingIfNeeded: random.next()) >> (round % 64)
      #expect(written { $0.value(value) } == "\(value)")
    }
    for value in [0, 9, 10, 99, 100, 999, 1000, 99_999_999, 100_000_000, .max, .min] {
      #expect(written { $0.value(value) } == "\(value)")
      #expect(written { $0.value(~value) } == "\(~value)")
    }
  }

  /// Decimals of up to 10 places, their neighbours and random doubles, where neither form has an exponent.
  @Test func shortestDoubles() {
    var random = SeededGenerator(seed: 12)
    for round in 0..<60_000 {
      let scale = [1, 1e1, 1e3, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10][round % 9]
      let range = [1e3, 1.8e2, 9e6, 1.2e7, 9e15][round / 9 % 5]
      var value = Double.random(in: -range...range, using: &random)
      value = (value * scale).rounded() / scale
      if round % 4 == 0 { value = value.nextUp }
      if round % 7 == 0 { value = Double.random(in: -range...range, using: &random) }
      guard (1e-4..<9e15).contains(value.magnitude) else { continue }
      let description = "\(value)"
      let wanted = description.hasSuffix(".0") ? String(description.dropLast(2)) : description
      #expect(written { $0.value(value) } == wanted)
    }
  }

  @Test func piecesInARoom() {
    let json = written { writer in
      writer.beginArray()
      for place in 0..<3 {
        writer.withRoomForElement(64 + 4 * JSONRoom.numberLength) { room in
          room.text("[")
          let piece = room.number(-122.41941551)
          room.text(",")
          room.integer(place - 1)
          room.text(",")
          room.again(piece)
          Array(",\"é\"]".utf8).withUnsafeBytes { room.bytes($0) }
        }
      }
      writer.withRoom(8) { $0.text(",{}") }
      writer.value(.infinity)
      writer.endArray()
    }
    let number = "-122.41941551"
    let rows = (-1...1).map { "[\(number),\($0),\(number),\"é\"]" }
    #expect(json == "[\(rows.joined(separator: ",")),{},null]")
  }
}
