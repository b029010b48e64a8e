extension UInt64 {
  /// How many bits there are up to the highest that is set.
  @inline(__always)
  var extent: Int { 64 - leadingZeroBitCount }

  /// The bits that are set and for which a condition holds; for conditions that take some time.
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

  /// As ``filtered(_:)``, for conditions that are so simple that it is faster to look at features in
  /// between, too, without a branch.
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
