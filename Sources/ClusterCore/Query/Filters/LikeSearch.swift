/// A search for a part of a pattern of LIKE that has `_`, in time that doesn't depend on how nearly a text matches.
///
/// This is Shift-And (Baeza-Yates and Gonnet, 1992) on the bytes of UTF-8: bit j says that the first j + 1 units of the
/// part match the bytes up to here. The bit of a `_` stays set through the rest of its code point.
struct LikeSearch: Hashable {
  /// The words of a set of units.
  private let words: Int
  /// The number of units.
  private let count: Int
  /// The row of `masks` for each byte.
  private var rows = [UInt16](repeating: 0, count: 256)
  /// The units that each byte matches: in row 0 those of a byte that begins a code point and is no unit, in row 1 none, then
  /// those of each byte that is a unit.
  private var masks: [UInt64]
  /// The units that are `_`.
  private var wildcards: [UInt64]

  /// - Parameters:
  ///   - units: bytes, and what stands for `_`; at least one.
  ///   - anyCodePoint: what stands for it.
  init(_ units: [UInt16], anyCodePoint: UInt16) {
    (count, words) = (units.count, (units.count + 63) / 64)
    wildcards = Array(repeating: 0, count: words)
    for (index, unit) in units.enumerated() where unit == anyCodePoint {
      wildcards[index / 64] |= 1 << UInt64(index % 64)
    }
    masks = wildcards + Array(repeating: 0, count: words)
    for byte in 0x80..<0xC0 { rows[byte] = 1 }
    for (index, unit) in units.enumerated() where unit != anyCodePoint {
      let byte = Int(unit & 0xFF)
      if rows[byte] < 2 {
        rows[byte] = UInt16(masks.count / words)
        // A byte that goes on with a code point is none by itself.
        masks += byte & 0xC0 == 0x80 ? Array(repeating: 0, count: words) : wildcards
      }
      masks[Int(rows[byte]) * words + index / 64] |= 1 << UInt64(index % 64)
    }
  }

  /// The steps that a byte of text takes.
  var cost: Int { words }

  /// The end of the first match at or after `start`. O(text × units / 64).
  func end(in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard start < text.count else { return nil }
    var state = [UInt64](repeating: 0, count: words)
    let (last, bit) = ((count - 1) / 64, UInt64(1) << UInt64((count - 1) % 64))
    return state.withUnsafeMutableBufferPointer { state in
      for index in start..<text.count {
        let byte = text[index]
        let goesOn = byte & 0xC0 == 0x80
        let row = Int(rows[Int(byte)]) * words
        // A match begins where a code point does.
        var carry: UInt64 = goesOn ? 0 : 1
        for word in 0..<words {
          let before = state[word]
          let moved = (before << 1 | carry) & masks[row + word]
          carry = before >> 63
          state[word] = moved | (goesOn ? before & wildcards[word] : 0)
        }
        // The code point of a last `_` belongs to the match.
        let isWhole = index + 1 == text.count || text[index + 1] & 0xC0 != 0x80
        if state[last] & bit != 0, isWhole { return index + 1 }
      }
      return nil
    }
  }
}
