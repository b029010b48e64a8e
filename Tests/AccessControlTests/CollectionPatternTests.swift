import TestSupport
import Testing

@testable import AccessControl

/// Patterns of ids against every way to share an id among asterisks.
@Suite(.timeLimit(.minutes(5))) struct CollectionPatternTests {
  @Test(arguments: Seeds.each(1...20))
  func `a pattern matches an id that it could have been`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    func text(_ letters: [UInt8], _ most: Int) -> [UInt8] {
      (0..<generator.int(0...most)).map { _ in generator.pick(letters) }
    }
    for _ in 0..<500 {
      let pattern = text(Array("ab*".utf8), 6)
      let id = text(Array("ab".utf8), 8)
      guard !pattern.isEmpty else { continue }
      let read = try #require(CollectionPattern(String(decoding: pattern, as: UTF8.self)))
      #expect(
        read.matches(String(decoding: id, as: UTF8.self)) == isOf(id[...], pattern[...]),
        "\(String(decoding: pattern, as: UTF8.self)) \(String(decoding: id, as: UTF8.self))")
    }
  }

  private func isOf(_ id: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
    guard let first = pattern.first else { return id.isEmpty }
    if first == UInt8(ascii: "*") {
      return (id.startIndex...id.endIndex).contains { isOf(id[$0...], pattern.dropFirst()) }
    }
    return id.first == first && isOf(id.dropFirst(), pattern.dropFirst())
  }
}
