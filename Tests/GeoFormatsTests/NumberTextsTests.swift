import TestSupport
import Testing

@testable import GeoFormats

/// Numbers that are encoded together, against the same one by one.
@Suite(.timeLimit(.minutes(5))) struct NumberTextsTests {
  /// Numbers as maps have them, and others.
  private func number(_ generator: inout SeededGenerator) -> Double {
    let any = generator.double(-200...200)
    switch generator.int(0...7) {
    case 0: return (any * 1e7).rounded() / 1e7
    case 1: return (any * 1e8).rounded() / 1e8
    case 2: return (any * 1e2).rounded() / 1e2
    case 3: return (any * 10).rounded()
    case 4: return (any / 1e6 * 1e8).rounded() / 1e8
    case 5:
      return generator.pick([0, -0.0, 999, 1000, -1000, 1e-6, 9.9e-7, 1e300, .nan, .infinity])
    case 6: return ((any * 1e7).rounded() / 1e7).nextUp
    default: return any
    }
  }

  @Test func `texts are those of single numbers`() {
    var generator = SeededGenerator(seed: 1)
    let memory = NumberTexts(rows: 3)
    let texts = memory.pointers
    var together = 0
    for _ in 0..<10_000 {
      let rows = generator.int(1...3)
      let numbers = (0..<rows * NumberTexts.rowLength).map { _ in number(&generator) }
      let found = texts.encode(numbers, rows: rows)
      numbers.withUnsafeBufferPointer { numbers in
        guard let start = numbers.baseAddress else { return }
        for column in 0..<NumberTexts.rowLength where found >> column & 1 != 0 {
          let own = texts.column(column, of: start)
          for row in 0..<rows {
            let number = numbers[row * NumberTexts.rowLength + column]
            #expect(own.number(row).bitPattern == number.bitPattern)
            expectText(row, of: own, number)
            together += 1
          }
        }
      }
    }
    #expect(!texts.isAvailable || together > 5_000)
  }

  private func expectText(_ index: Int, of texts: NumberTexts.Texts, _ number: Double) {
    var (one, other) = (JSONWriter(), JSONWriter())
    one.value(number)
    other.withRoom(JSONRoom.numberLength) { $0.number(index, of: texts) }
    #expect(one.bytes == other.bytes, "\(text(other.bytes)) of \(number)")
  }

  @Test func `numbers of few decimals have texts`() {
    let memory = NumberTexts(rows: 1)
    let texts = memory.pointers
    let numbers = [52.5170365, -13.3888599, -0.0000012, 179.99999999, -180, 7, 0, .nan]
    for (index, number) in numbers.enumerated() { texts.numbers[index] = number }
    #expect(texts.encode(texts.numbers, rows: 1) == (texts.isAvailable ? 0b11_1111 : 0))
    guard texts.isAvailable else { return }
    for index in 0..<6 { expectText(index, of: texts.row, numbers[index]) }
  }

  @Test func `texts of any length are written again`() {
    for length in [0, 1, 31, 32, 33, 60] {
      let bytes =
        (0..<length).map { UInt8(ascii: "a") + UInt8($0 % 26) } + [UInt8](repeating: 0, count: 32)
      var json = JSONWriter()
      json.withRoom(length + 1 + JSONRoom.shortLength) { room in
        bytes.withUnsafeBytes { room.short(UnsafeRawBufferPointer(rebasing: $0[..<length])) }
        room.text("!")
      }
      #expect(json.bytes == bytes[..<length] + [UInt8(ascii: "!")])
    }
  }
}
