import CVectors

/// Compares the numbers of a block with a range by their levels. The numbers themselves are read where these
/// don't tell.
struct LevelComparison {
  enum Passing {
    /// Numbers in the range.
    case within
    /// Numbers out of the range.
    case apart
    /// Numbers in the range, and what isn't a number.
    case notApart
  }

  let column: PropertyColumn
  let low: Double
  let high: Double
  let passing: Passing

  /// Clears the bits of what doesn't pass. Returns false, having cleared nothing, if levels can't tell.
  func narrow(_ words: UnsafeMutablePointer<UInt64>, from ordinal: Int, count: Int) -> Bool {
    // No range has bounds that aren't numbers.
    guard low == low, high == high,
      let levels = column.levels[around: ordinal].map({ $0 + ordinal }),
      let doubles = column.doubles[around: ordinal].map({ $0 + ordinal })
    else { return false }
    let zone = column.zones[ordinal &>> PointIndex.blockBits]
    let size = (count + 63) / 64
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 * size) {
      guard let found = $0.baseAddress else { return }
      let others = found + size
      if let span = zone.scale.span(
        from: low, through: high, least: zone.least, greatest: zone.greatest)
      {
        cvectors_levels_within(levels, count, span.outer.low, span.outer.high, found)
        if !span.isExact {
          cvectors_levels_within(levels, count, span.inner.low, span.inner.high, others)
          for word in 0..<size {
            let open = found[word] & ~others[word] & words[word]
            found[word] = others[word] | (open == 0 ? 0 : exactly(open, doubles + 64 * word))
          }
        }
      } else {
        found.update(repeating: 0, count: size)
      }
      switch passing {
      case .within: for word in 0..<size { words[word] &= found[word] }
      case .notApart, .apart:
        cvectors_levels_within(levels, count, 0, NumberLevels.highest, others)
        for word in 0..<size {
          let apart = others[word] & ~found[word]
          words[word] &= passing == .apart ? apart : ~apart
        }
      }
    }
    return true
  }

  /// Which of some numbers are in the range.
  private func exactly(_ bits: UInt64, _ numbers: UnsafePointer<Double>) -> UInt64 {
    if bits.nonzeroBitCount > LevelComparison.few {
      return bits & cvectors_within(numbers, bits.extent, low, high)
    }
    return bits.filtered { numbers[$0] >= low && numbers[$0] <= high }
  }

  /// The number of 64 numbers up to which reading them one by one is faster: there are as many
  /// cache lines.
  private static let few = 8
}
