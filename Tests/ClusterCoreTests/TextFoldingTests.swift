import ClusterCore
import Foundation
import TestSupport
import Testing

/// Texts without differences of case and accents.
@Suite(.timeLimit(.minutes(5))) struct TextFoldingTests {
  private func folded(_ text: String, _ folding: TextFolding) -> String {
    String(decoding: folding.fold(Array(text.utf8)), as: UTF8.self)
  }

  private static let scalars = (UInt32(0)...0x10FFFF).compactMap { Unicode.Scalar($0) }

  /// Foundation's canonical decomposition of a text without nonspacing marks.
  private static func plain(_ text: String) -> [Unicode.Scalar] {
    text.decomposedStringWithCanonicalMapping.unicodeScalars.filter {
      $0.properties.generalCategory != .nonspacingMark
    }
  }

  @Test func `code points lose what their decomposition says are marks`() {
    var changed = 0
    for scalar in Self.scalars {
      // Syllables and ideographs stay.
      if (0xAC00...0xD7A3).contains(scalar.value) || (0xF900...0xFAD9).contains(scalar.value)
        || (0x2F800...0x2FA1D).contains(scalar.value)
      {
        #expect(folded(String(scalar), .accents).unicodeScalars.elementsEqual([scalar]))
        continue
      }
      let plain = Self.plain(String(scalar))
      let result = folded(String(scalar), .accents)
      if plain.elementsEqual([scalar]) {
        // Letters that are other letters with a stroke, or are written as others.
        guard !result.unicodeScalars.elementsEqual([scalar]) else { continue }
        changed += 1
        #expect(result.utf8.allSatisfy { $0 < 0x80 && $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A })
      } else if !result.unicodeScalars.elementsEqual(plain) {
        // A letter of that kind with marks.
        let rest = plain.map { folded(String($0), .accents) }.joined()
        #expect(result.utf8.elementsEqual(rest.utf8), "U+\(String(scalar.value, radix: 16))")
      }
    }
    #expect((200...300).contains(changed))
  }

  @Test func `each code point is folded once for all`() {
    for scalar in Self.scalars where scalar.value > 0x7F {
      for folding in [TextFolding.accents, [.accents, .casing]] {
        let once = folding.fold(Array(String(scalar).utf8))
        #expect(folding.fold(once) == once, "U+\(String(scalar.value, radix: 16))")
      }
      // Forms of the same letter are the same.
      let decomposed = String(scalar).decomposedStringWithCanonicalMapping
      if !(0xAC00...0xD7A3).contains(scalar.value), !scalar.properties.isIdeographic {
        #expect(
          folded(decomposed, .accents).utf8.elementsEqual(folded(String(scalar), .accents).utf8))
      }
    }
  }

  @Test(
    arguments: [
      ("München", "Munchen", "munchen"), ("KÖLN", "KOLN", "koln"),
      ("København", "Kobenhavn", "kobenhavn"),
      ("Łódź", "Lodz", "lodz"), ("Chișinău", "Chisinau", "chisinau"),
      ("Đà Nẵng", "Da Nang", "da nang"),
      ("Ærøskøbing", "AEroskobing", "aeroskobing"), ("Œuvre", "OEuvre", "oeuvre"),
      ("Gießen", "Giessen", "giessen"),
      ("İstanbul", "Istanbul", "istanbul"), ("Iğdır", "Igdir", "igdir"),
      ("Þórshöfn", "THorshofn", "thorshofn"),
      ("Mu\u{308}nchen", "Munchen", "munchen"), ("Ǿ", "O", "o"), ("Ἀθῆναι", "Αθηναι", "αθηναι"),
      ("Йошкар-Ола", "Иошкар-Ола", "иошкар-ола"), ("서울", "서울", "서울"), ("東京", "東京", "東京"),
      ("a\u{301}%_\\", "a%_\\", "a%_\\"), ("", "", ""),
      ("plain ASCII", "plain ASCII", "plain ascii"),
    ])
  func `names that people look for`(name: String, plain: String, small: String) {
    #expect(folded(name, .accents) == plain)
    #expect(folded(name, [.accents, .casing]) == small)
    #expect(folded(name, []).utf8.elementsEqual(name.utf8))
  }
}
