extension UInt64 {
  /// The number of bits up to the highest set bit.
  @inline(__always)
  var extent: Int { 64 - leadingZeroBitCount }

  /// Returns the set bits for which a condition holds. For expensive conditions.
  @inline(__always)
  func filtered(_ holds: (Int) -> Bool) -> UInt64 {
    var (result, rest): (UInt64, UInt64) = (0, self)
    while rest != 0 {
      let bit = rest & (~rest &+ 1)
      if holds(rest.trailingZeroBitCount) { result |= bit }
      rest ^= bit
    }
    return result
  }

  /// Returns the same as ``filtered(_:)``, but evaluates the condition for unset bits, too, which
  /// without branches is faster if the condition is simple.
  @inline(__always)
  func scanned(_ holds: (Int) -> Bool) -> UInt64 {
    if nonzeroBitCount < 8 { return filtered(holds) }
    var result: UInt64 = 0
    if self == .max {
      for bit in 0..<64 { result |= (holds(bit) ? 1 : 0) &<< UInt64(truncatingIfNeeded: bit) }
      return result
    }
    for bit in 0..<extent { result |= (holds(bit) ? 1 : 0) &<< UInt64(truncatingIfNeeded: bit) }
    return result & self
  }
}
