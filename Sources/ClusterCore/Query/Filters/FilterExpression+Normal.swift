extension FilterExpression {
  /// The normal form, which many equivalent expressions share. It is true for the same features,
  /// but may be false where the original is unknown.
  ///
  /// NOT is moved inward to the comparisons, which is valid in three-valued logic, too. Afterwards
  /// nothing distinguishes false from unknown. Nested ANDs and ORs are flattened and have no
  /// duplicates, `p = 1 OR p = 2` becomes `p IN (1, 2)`, properties are on the left, and conditions
  /// without properties are evaluated.
  public var normalised: FilterExpression { normalised(negated: false) }

  private func normalised(negated: Bool) -> FilterExpression {
    switch self {
    case .literal(let value): return .literal(value != negated)
    case .comparison(let a, let comparison, let b):
      return .comparing(a, negated ? comparison.complement : comparison, b)
    case .between(let value, let low, let high):
      return .ranging(value, low, high, negated: negated)
    case .inList(let value, let list):
      if FilterExpression.isNormal(listOf: value, list) { return self.negated(negated) }
      let comparison: Comparison = negated ? .notEqual : .equal
      return .joined(list.map { .comparing(value, comparison, $0) }, isAnd: negated)
    case .like(let value, let pattern):
      switch value.simplified {
      case .property, .folded: return .like(value.simplified ?? value, pattern).negated(negated)
      case .string(let text):
        return .literal(text.withUnsafeBytes { pattern.matches($0) } != negated)
      default: return .literal(false)  // unknown
      }
    case .isNull(let value):
      guard let value = value.simplified else { return .literal(!negated) }
      return value.isConstant ? .literal(negated) : .isNull(value).negated(negated)
    case .temporal(let relation, let a, let b):
      guard let right = b.times else {
        return a.times == nil
          ? self.negated(negated) : .temporal(relation.inverse, b, a).negated(negated)
      }
      guard let left = a.times else { return self.negated(negated) }
      return .literal(relation.holds(left.start, left.end, right.start, right.end) != negated)
    case .window, .shape: return self.negated(negated)
    case .not(let inner): return inner.normalised(negated: !negated)
    case .and(let parts):
      return .joined(parts.map { $0.normalised(negated: negated) }, isAnd: !negated)
    case .or(let parts):
      return .joined(parts.map { $0.normalised(negated: negated) }, isAnd: negated)
    }
  }

  fileprivate func negated(_ isNegated: Bool) -> FilterExpression { isNegated ? .not(self) : self }

  private static func comparing(
    _ a: Operand, _ comparison: Comparison, _ b: Operand
  ) -> FilterExpression {
    // A comparison with nothing is unknown, and so is one of different types.
    guard let a = a.simplified, let b = b.simplified, a.isComparable(with: b) else {
      return .literal(false)
    }
    switch (a.isConstant, b.isConstant) {
    case (true, true):
      if case .time(let a) = a, case .time(let b) = b { return .literal(a.holds(comparison, b)) }
      return .literal(a.order(to: b).map { comparison.holds($0) } ?? false)
    case (true, false): return .comparison(b, comparison.flipped, a)
    case (false, true): return .comparison(a, comparison, b)
    case (false, false):
      // p = q and q = p are equivalent.
      if case .property(let left) = a, case .property(let right) = b,
        right.lexicographicallyPrecedes(left)
      {
        return .comparison(b, comparison.flipped, a)
      }
      return .comparison(a, comparison, b)
    }
  }

  private static func ranging(
    _ value: Operand, _ low: Operand, _ high: Operand, negated: Bool
  ) -> FilterExpression {
    if case .property = value, case .number(let from) = low, case .number(let to) = high {
      // The range is empty, but values other than numbers aren't outside it.
      if from > to && !negated { return .literal(false) }
      return negated ? .not(.between(value, low, high)) : .between(value, low, high)
    }
    let first = comparing(value, negated ? .less : .greaterOrEqual, low)
    let second = comparing(value, negated ? .greater : .lessOrEqual, high)
    return joined([first, second], isAnd: !negated)
  }

  /// Whether `value IN (list)` is in normal form: of a property, with different literals that it may be equal to. So
  /// it is mostly, and often asked for: O(bytes of the literals).
  private static func isNormal(listOf value: Operand, _ list: [Operand]) -> Bool {
    let isFolded: Bool
    switch value {
    case .property: isFolded = false
    case .folded(_, .property): isFolded = true
    default: return false
    }
    guard list.count > 1 else { return false }
    let isComparable = list.allSatisfy { literal in
      switch literal {
      case .string: true
      case .number, .bool: !isFolded
      default: false
      }
    }
    return isComparable && areDifferent(list)
  }

  /// Whether no literal occurs twice. By a table of places by hashes, with a secret key.
  private static func areDifferent(_ list: [Operand]) -> Bool {
    let mask = (1 << (Int.bitWidth - (2 * list.count).leadingZeroBitCount)) - 1
    return withUnsafeTemporaryAllocation(of: Int32.self, capacity: mask + 1) { places in
      places.initialize(repeating: -1)
      for (number, literal) in list.enumerated() {
        var place = Int(truncatingIfNeeded: literal.literalHash) & mask
        while places[place] >= 0 {
          if list[Int(places[place])] == literal { return false }
          place = (place + 1) & mask
        }
        places[place] = Int32(number)
      }
      return true
    }
  }

  /// The parts `p = literal` and `p IN (literals)` of an OR, or `p <> literal` and `p NOT IN (literals)` of an AND,
  /// which become one list for each property.
  private struct Lists {
    private var numbers: [Operand: Int] = [:]
    private var all: [(property: Operand, index: Int, values: [Operand], seen: Set<Operand>)] = []

    /// Adds literals that a property must be one of, or none of; returns whether it is the first such part, whose place
    /// is given.
    mutating func add(_ property: Operand, _ values: [Operand], at index: Int) -> Bool {
      let number = numbers[property] ?? all.count
      let isNew = number == all.count
      if isNew {
        numbers[property] = number
        all.append((property, index, [], []))
      }
      for value in values where all[number].seen.insert(value).inserted {
        all[number].values.append(value)
      }
      return isNew
    }

    /// Puts each list of more than one literal in the place of the first part of its property.
    func replace(in parts: inout [FilterExpression], isAnd: Bool) {
      for list in all where list.values.count > 1 {
        parts[list.index] = FilterExpression.inList(list.property, list.values).negated(isAnd)
      }
    }
  }

  /// Joins normalised parts by AND or OR, without duplicates.
  private static func joined(_ parts: [FilterExpression], isAnd: Bool) -> FilterExpression {
    var joined: [FilterExpression] = []
    var (seen, lists): (Set<FilterExpression>, Lists) = ([], Lists())
    /// Adds a part; returns whether it decides: false AND …, true OR ….
    func add(_ part: FilterExpression) -> Bool {
      if case .literal(let value) = part { return value != isAnd }
      if let (property, values) = part.literals(excluded: isAnd) {
        if lists.add(property, values, at: joined.count) { joined.append(part) }
      } else if seen.insert(part).inserted {
        joined.append(part)
      }
      return false
    }
    for part in parts {
      switch part {
      case .and(let inner) where isAnd: for part in inner where add(part) { return part }
      case .or(let inner) where !isAnd: for part in inner where add(part) { return part }
      default: if add(part) { return part }
      }
    }
    lists.replace(in: &joined, isAnd: isAnd)
    if joined.count == 1 { return joined[0] }
    if joined.isEmpty { return .literal(isAnd) }
    return isAnd ? .and(joined) : .or(joined)
  }

  /// Returns the property and the literals if this condition requires the property to be one of
  /// them, or with `excluded` to be none of them.
  private func literals(excluded: Bool) -> (Operand, [Operand])? {
    switch self {
    case .comparison(let property, excluded ? .notEqual : .equal, let value):
      if case .time = value { return nil }
      if case .arithmetic = property { return nil }
      return value.isConstant ? (property, [value]) : nil
    case .inList(let property, let values) where !excluded: return (property, values)
    case .not(.inList(let property, let values)) where excluded: return (property, values)
    default: return nil
    }
  }
}

extension FilterExpression.Operand {
  /// Whether it is the same for all features, once it is simplified.
  var isConstant: Bool {
    switch self {
    case .number, .string, .bool, .time: true
    case .property, .folded, .arithmetic: false
    }
  }

  /// A hash of a literal, equal for equal ones.
  fileprivate var literalHash: UInt64 {
    switch self {
    case .string(let text): text.withUnsafeBytes { ByteHash.hash($0) }
    // 0 and −0 are equal.
    case .number(let value): ByteHash.hash((value == 0 ? 0 : value).bitPattern)
    default: UInt64(truncatingIfNeeded: hashValue)
    }
  }

  /// The operand with its constant parts evaluated; nil if it is unknown for all features.
  fileprivate var simplified: Self? {
    switch self {
    case .property, .number, .string, .bool, .time: return self
    case .folded(let folding, let inner):
      // Within one another, in either order, they are one.
      if case .folded(let other, let inner) = inner {
        return Self.folded(folding.union(other), inner).simplified
      }
      switch inner.simplified {
      case .string(let text): return .string(folding.fold(text))
      case .property(let name): return .folded(folding, .property(name))
      default: return nil
      }
    case .arithmetic(let operation, let a, let b):
      guard let a = a.simplified, let b = b.simplified, a.mayBeNumber, b.mayBeNumber else {
        return nil
      }
      guard case .number(let left) = a, case .number(let right) = b else {
        return .arithmetic(operation, a, b)
      }
      let result = operation.result(left, right)
      return result.isNaN ? nil : .number(result)
    }
  }

  private var mayBeNumber: Bool {
    switch self {
    case .property, .number, .arithmetic: true
    case .string, .bool, .time, .folded: false
    }
  }

  /// Whether two simplified operands can be of the same type.
  fileprivate func isComparable(with other: Self) -> Bool {
    switch (self, other) {
    case (.arithmetic, _): other.mayBeNumber
    case (_, .arithmetic): mayBeNumber
    case (.folded, .number), (.folded, .bool), (.folded, .time): false
    case (.number, .folded), (.bool, .folded), (.time, .folded): false
    default: true
    }
  }

  /// Returns how a literal compares with another, or nil if they have different types.
  fileprivate func order(to other: Self) -> Int? {
    switch (self, other) {
    case (.number(let a), .number(let b)): a < b ? -1 : (a > b ? 1 : 0)
    case (.string(let a), .string(let b)):
      a.withUnsafeBytes { a in b.withUnsafeBytes { b in ByteOrder.compare(a, b) } }
    case (.bool(let a), .bool(let b)): (a ? 1 : 0) - (b ? 1 : 0)
    default: nil
    }
  }
}
