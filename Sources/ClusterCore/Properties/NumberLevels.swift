/// How the numbers of one block become levels: 16 bits each, in the same order.
///
/// The level of a number is how far its bits are from those of the least number, divided by a power of two. So
/// both of two numbers with different levels are in the order of these, and of those with the same level, which are
/// few, only the numbers themselves can tell.
struct NumberLevels: BitwiseCopyable {
  typealias Level = UInt16

  /// The levels in which a number may be that is in a range, and those in which it must be.
  struct Span {
    /// The levels of numbers that may be in the range.
    let outer: (low: Level, high: Level)
    /// The levels of which all numbers are in the range; none if the first is greater than the last.
    let inner: (low: Level, high: Level)

    /// Whether the levels alone decide which numbers are in the range.
    var isExact: Bool { outer == inner }
  }

  /// The level of what isn't a number.
  static let none = Level.max
  /// The highest level of a number.
  static let highest = none - 1

  /// The number of low bits that levels leave out.
  private let shift: UInt8
  /// Whether all numbers of a level are equal, and the least that can have it.
  private let isExact: Bool

  /// The scale of a block without numbers.
  static let empty = NumberLevels(shift: 0, isExact: true)

  private init(shift: UInt8, isExact: Bool) { (self.shift, self.isExact) = (shift, isExact) }

  /// Makes the levels of some numbers, of which `least` is the least and `greatest` the greatest.
  static func levels(
    of doubles: FixedArray<Double>, least: Double, greatest: Double
  ) -> (scale: NumberLevels, levels: FixedArray<Level>) {
    let (base, range) = (order(least), order(greatest) &- order(least))
    var shift = UInt64(max(0, UInt64.bitWidth - range.leadingZeroBitCount - Level.bitWidth))
    if range &>> shift > UInt64(highest) { shift += 1 }
    let levels = WritableArray<Level>(count: doubles.count)
    var rest: UInt64 = 0
    for offset in 0..<doubles.count {
      let number = doubles.pointer[offset]
      let distance = order(number) &- base
      let level = Level(truncatingIfNeeded: distance &>> shift)
      levels.pointer[offset] = number == number ? level : none
      rest |= number == number ? distance : 0
    }
    let isExact = rest & (1 &<< shift &- 1) == 0
    return (NumberLevels(shift: UInt8(shift), isExact: isExact), levels.fixed)
  }

  /// The levels of the numbers from `low` to `high`; nil if none of those in the block is.
  ///
  /// - Parameters:
  ///   - least: the least number of the block.
  ///   - greatest: the greatest number of the block.
  func span(
    from low: Double, through high: Double, least: Double, greatest: Double
  ) -> Span? {
    guard low <= high, low <= greatest, high >= least else { return nil }
    let base = NumberLevels.order(least)
    var outer = (low: Level(0), high: NumberLevels.highest)
    var inner = outer
    if low > least {
      let (level, rest) = split(NumberLevels.order(low) &- base)
      // All of a level are its least, so those of the level in which the range begins between two are before it.
      outer.low = rest > 0 && isExact ? level + 1 : level
      inner.low = rest > 0 ? level + 1 : level
    }
    if high < greatest {
      let (level, rest) = split(NumberLevels.order(high) &- base)
      outer.high = level
      guard !isExact, rest < mask else {
        inner.high = level
        return Span(outer: outer, inner: inner)
      }
      guard level > 0 else { return Span(outer: outer, inner: (1, 0)) }
      inner.high = level - 1
    }
    return Span(outer: outer, inner: inner)
  }

  private var mask: UInt64 { 1 &<< UInt64(shift) &- 1 }

  private func split(_ distance: UInt64) -> (level: Level, rest: UInt64) {
    (Level(truncatingIfNeeded: distance &>> UInt64(shift)), distance & mask)
  }

  /// The bits of a number as an integer that orders numbers as they are ordered. Both zeros are the same, and whole
  /// numbers differ by multiples of large powers of two, also across zero.
  @inline(__always)
  private static func order(_ number: Double) -> UInt64 {
    let bits = number.bitPattern
    let magnitude = bits & (1 &<< 63 &- 1)
    return bits == magnitude ? 1 &<< 63 &+ magnitude : 1 &<< 63 &- magnitude
  }
}
