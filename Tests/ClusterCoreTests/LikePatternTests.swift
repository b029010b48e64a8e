import TestSupport
import Testing

@testable import ClusterCore

@Suite(.timeLimit(.minutes(5))) struct LikePatternTests {
  private func matches(_ text: String, _ pattern: String) -> Bool? {
    LikePattern(Array(pattern.utf8)).map { pattern in
      Array(text.utf8).withUnsafeBytes { pattern.matches($0) }
    }
  }

  @Test(
    arguments: [
      ("", "", true), ("", "%", true), ("", "_", false), ("a", "", false), ("abc", "abc", true),
      ("abc", "ABC", false), ("abc", "a%", true), ("abc", "%c", true), ("abc", "%b%", true),
      ("abc", "a_c", true), ("aäc", "a_c", true), ("a日c", "a_c", true), ("a🚲c", "a_c", true),
      ("ac", "a_c", false), ("abbc", "a_c", false), ("ä", "_", true), ("ä", "__", false),
      ("100%", #"100\%"#, true), ("1000", #"100\%"#, false), ("a_b", #"a\_b"#, true),
      ("axb", #"a\_b"#, false), (#"a\b"#, #"a\\b"#, true), ("abab", "%ab", true),
      ("aab", "a%ab", true), ("ab", "a%ab", false), ("aXbXc", "a%X%c", true),
      ("日本語", "%本_", true), ("日本語", "_本%", true), ("日本語", "%_語", true), ("äöü", "__%_", true),
      ("äö", "__%_", false), ("a\nb", "a_b", true), ("ab", "%%%%", true),
    ] as [(String, String, Bool)])
  func patterns(_ text: String, _ pattern: String, _ expected: Bool) {
    #expect(matches(text, pattern) == expected)
  }

  @Test func `a lone backslash at the end is refused`() {
    #expect(matches("a", #"a\"#) == nil)
    #expect(matches(#"a\"#, #"a\\"#) == true)
  }

  /// Tries every way, over code points.
  private func slow(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>)
    -> Bool
  {
    guard let first = pattern.first else { return text.isEmpty }
    if first == "%" {
      return slow(text, pattern.dropFirst())
        || (!text.isEmpty && slow(text.dropFirst(), pattern))
    }
    guard let next = text.first, first == "_" || first == next else { return false }
    return slow(text.dropFirst(), pattern.dropFirst())
  }

  @Test func `random patterns match what trying every way matches`() {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<20_000 {
      let text = (0..<generator.int(0...7)).map { _ in generator.pick(["a", "b", "ä"]) }.joined()
      let pattern = (0..<generator.int(0...6)).map { _ in
        generator.pick(["a", "b", "ä", "%", "_"])
      }.joined()
      let expected = slow(Array(text.unicodeScalars)[...], Array(pattern.unicodeScalars)[...])
      #expect(matches(text, pattern) == expected, "'\(text)' LIKE '\(pattern)'")
    }
  }

  @Test func `long parts with wildcards match what trying every way matches`() {
    var generator = SeededGenerator(seed: 6)
    var matching = 0
    for _ in 0..<2000 {
      let text = (0..<generator.int(0...300)).map { _ in
        generator.chance(0.95) ? "a" : generator.pick(["b", "ä", "日"])
      }
      // Mostly what the text has somewhere.
      let start = generator.int(0...text.count)
      let end = generator.int(start...text.count)
      let part = text[start..<end].map { generator.chance(0.4) ? "_" : $0 }.joined()
      let pattern = "%\(generator.chance(0.2) ? "b" : "")\(part)_%"
      let expected = slow(
        Array(text.joined().unicodeScalars)[...], Array(pattern.unicodeScalars)[...])
      if expected { matching += 1 }
      #expect(matches(text.joined(), pattern) == expected, "'\(text.joined())' LIKE '\(pattern)'")
    }
    #expect((200...1800).contains(matching))
  }

  @Test func `hostile patterns take no time`() {
    let text = String(repeating: "a", count: 200_000)
    #expect(matches(text, String(repeating: "%", count: 1000)) == true)
    #expect(matches(text, String(repeating: "a%", count: 500) + "b") == false)
    #expect(matches(text, String(repeating: "%a", count: 500) + "%b%") == false)
    #expect(matches(text, "%" + String(repeating: "a_", count: 20) + "b%") == false)
  }
}
