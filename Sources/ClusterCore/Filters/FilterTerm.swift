/// A part of a bound filter: which of up to 64 features it is true of.
protocol FilterTerm: Sendable {
  /// Of the candidates, features `place + i` for the bits i that are set, those it is true of.
  /// There is at least one, and all are places of one block of the index.
  func mask(from place: Int, among candidates: UInt64) -> UInt64
}

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

/// Always the same.
struct ConstantTerm: FilterTerm {
  let value: Bool

  func mask(from place: Int, among candidates: UInt64) -> UInt64 { value ? candidates : 0 }
}

/// All of some terms.
struct AndTerm: FilterTerm {
  let terms: [any FilterTerm]

  func mask(from place: Int, among candidates: UInt64) -> UInt64 {
    var rest = candidates
    for term in terms {
      rest = term.mask(from: place, among: rest)
      if rest == 0 { break }
    }
    return rest
  }
}

/// Any of some terms.
struct OrTerm: FilterTerm {
  let terms: [any FilterTerm]

  func mask(from place: Int, among candidates: UInt64) -> UInt64 {
    var rest = candidates
    for term in terms {
      rest &= ~term.mask(from: place, among: rest)
      if rest == 0 { break }
    }
    return candidates & ~rest
  }
}

/// A number within a range, both ends included.
struct NumberTerm: FilterTerm {
  let column: PropertyColumn
  let low: Double
  let high: Double

  func mask(from place: Int, among candidates: UInt64) -> UInt64 {
    guard let doubles = column.doubles(around: place) else { return 0 }
    let (values, low, high) = (doubles + place, self.low, self.high)
    // NaN is in no range.
    return candidates.scanned { values[$0] >= low && values[$0] <= high }
  }
}

/// A number outside of a range.
struct NumberOutsideTerm: FilterTerm {
  let column: PropertyColumn
  let low: Double
  let high: Double

  func mask(from place: Int, among candidates: UInt64) -> UInt64 {
    guard let doubles = column.doubles(around: place) else { return 0 }
    let (values, low, high) = (doubles + place, self.low, self.high)
    return candidates.scanned { values[$0] < low || values[$0] > high }
  }
}

/// A number that is one of several, or that is none of them.
struct NumberSetTerm: FilterTerm {
  let column: PropertyColumn
  let sorted: [Double]
  let isNegated: Bool

  func mask(from place: Int, among candidates: UInt64) -> UInt64 {
    guard let doubles = column.doubles(around: place) else { return 0 }
    return candidates.filtered { bit in
      let value = doubles[place + bit]
      return !value.isNaN && contains(value) != isNegated
    }
  }

  private func contains(_ value: Double) -> Bool {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low < sorted.count && sorted[low] == value
  }
}

/// A code: a boolean or one string.
struct CodeTerm: FilterTerm {
  let column: PropertyColumn
  let code: PropertyColumn.Code

  func mask(from place: Int, among candidates: UInt64) -> UInt64 {
    guard let codes = column.codes(around: place) else { return 0 }
    let (values, code) = (codes + place, self.code)
    return candidates.scanned { values[$0] == code }
  }
}

/// Whether there is a value, or none.
struct NullTerm: FilterTerm {
  let column: PropertyColumn
  let isNegated: Bool

  func mask(from place: Int, among candidates: UInt64) -> UInt64 {
    var missing: UInt64 = candidates
    if let codes = column.codes(around: place) {
      let values = codes + place
      missing = candidates.scanned { values[$0] == PropertyColumn.missing }
    } else if let doubles = column.doubles(around: place) {
      let values = doubles + place
      missing = candidates.scanned { values[$0] != values[$0] }
    }
    return isNegated ? candidates & ~missing : missing
  }
}

/// Two properties of the same feature.
struct PairTerm: FilterTerm {
  let left: PropertyColumn
  let comparison: FilterExpression.Comparison
  let right: PropertyColumn

  func mask(from place: Int, among candidates: UInt64) -> UInt64 {
    candidates.filtered { bit in order(at: place + bit).map { comparison.holds($0) } ?? false }
  }

  private func order(at place: Int) -> Int? {
    switch (left.value(at: place), right.value(at: place)) {
    case (.number(let a), .number(let b)): a < b ? -1 : (a > b ? 1 : 0)
    case (.string(let a), .string(let b)): ByteOrder.compare(a, b)
    case (.bool(let a), .bool(let b)): (a ? 1 : 0) - (b ? 1 : 0)
    default: nil
    }
  }
}
