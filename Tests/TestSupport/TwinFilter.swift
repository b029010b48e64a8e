/// A filter as a tree: it prints itself as CQL2 text and says what it makes of a feature.
public indirect enum TwinFilter: Sendable {
  /// What stands on a side of a comparison.
  public enum Operand: Sendable {
    /// A property's value.
    case property(String)
    /// A number, string or boolean.
    case literal(TestJSON)
  }

  /// A comparison.
  public enum Relation: String, CaseIterable, Sendable {
    /// The same.
    case equal = "="
    /// Not the same.
    case unequal = "<>"
    /// Before.
    case less = "<"
    /// Before or the same.
    case lessOrEqual = "<="
    /// After.
    case greater = ">"
    /// After or the same.
    case greaterOrEqual = ">="
  }

  /// `a < b`
  case compare(Operand, Relation, Operand)
  /// `a BETWEEN b AND c`, `a NOT BETWEEN b AND c`
  case between(Operand, Operand, Operand, isNegated: Bool)
  /// `a IN (b, c)`, `a NOT IN (b, c)`
  case among(Operand, [Operand], isNegated: Bool)
  /// `a LIKE 'b'`, `a NOT LIKE 'b'`
  case like(Operand, String, isNegated: Bool)
  /// `a IS NULL`, `a IS NOT NULL`
  case isNull(String, isNegated: Bool)
  /// `NOT a`
  case not(TwinFilter)
  /// `a AND b`
  case and([TwinFilter])
  /// `a OR b`
  case or([TwinFilter])

  /// Whether a feature with these properties passes: what is unknown does not.
  public func passes(_ value: (String) -> TestJSON?) -> Bool { truth(value) == true }

  /// True, false, or nil where it is unknown.
  public func truth(_ value: (String) -> TestJSON?) -> Bool? {
    func negated(_ truth: Bool?, _ isNegated: Bool) -> Bool? {
      isNegated ? truth.map { !$0 } : truth
    }
    switch self {
    case .compare(let a, let relation, let b):
      return TwinFilter.holds(a.value(value), relation, b.value(value))
    case .between(let a, let low, let high, let isNegated):
      let (one, low, high) = (a.value(value), low.value(value), high.value(value))
      let truths = [
        TwinFilter.holds(one, .greaterOrEqual, low), TwinFilter.holds(one, .lessOrEqual, high),
      ]
      return negated(TwinFilter.all(truths), isNegated)
    case .among(let a, let others, let isNegated):
      let one = a.value(value)
      let differ = others.map { TwinFilter.holds(one, .unequal, $0.value(value)) }
      return negated(TwinFilter.all(differ), !isNegated)
    case .like(let a, let pattern, let isNegated):
      guard let text = a.value(value)?.string else { return nil }
      return negated(TwinFilter.matches(Array(text.unicodeScalars), pattern), isNegated)
    case .isNull(let name, let isNegated): return (value(name) ?? .null).isNull != isNegated
    case .not(let one): return one.truth(value).map { !$0 }
    case .and(let all): return TwinFilter.all(all.map { $0.truth(value) })
    case .or(let any): return TwinFilter.all(any.map { $0.truth(value).map { !$0 } }).map { !$0 }
    }
  }

  /// SQL's AND: false if any is, else unknown if any is.
  private static func all(_ truths: [Bool?]) -> Bool? {
    if truths.contains(false) { return false }
    return truths.contains(nil) ? nil : true
  }

  /// Nil unless both are numbers, both strings or both booleans.
  private static func holds(_ a: TestJSON?, _ relation: Relation, _ b: TestJSON?) -> Bool? {
    switch (a, b) {
    case (.number?, .number?):
      guard let a = a?.double, let b = b?.double else { return nil }
      return holds(relation, a < b, b < a)
    case (.string(let a)?, .string(let b)?):
      return holds(
        relation, a.utf8.lexicographicallyPrecedes(b.utf8), b.utf8.lexicographicallyPrecedes(a.utf8)
      )
    case (.bool(let a)?, .bool(let b)?): return holds(relation, !a && b, !b && a)
    default: return nil
    }
  }

  private static func holds(_ relation: Relation, _ isLess: Bool, _ isGreater: Bool) -> Bool {
    switch relation {
    case .equal: !isLess && !isGreater
    case .unequal: isLess || isGreater
    case .less: isLess
    case .lessOrEqual: !isGreater
    case .greater: isGreater
    case .greaterOrEqual: !isLess
    }
  }

  /// Row by row: which beginnings of the text the pattern so far matches.
  private static func matches(_ text: [Unicode.Scalar], _ pattern: String) -> Bool {
    var reached = [true] + text.map { _ in false }
    var isEscaped = false
    for sign in pattern.unicodeScalars {
      if sign == "\\", !isEscaped {
        isEscaped = true
        continue
      }
      var next = text.map { _ in false } + [false]
      for end in 0...text.count {
        if sign == "%", !isEscaped {
          next[end] = reached[end] || end > 0 && next[end - 1]
        } else if end > 0, reached[end - 1] {
          next[end] = sign == "_" && !isEscaped || text[end - 1] == sign
        }
      }
      (reached, isEscaped) = (next, false)
    }
    return reached[text.count]
  }
}

extension TwinFilter.Operand {
  fileprivate func value(_ value: (String) -> TestJSON?) -> TestJSON? {
    switch self {
    case .property(let name): value(name)
    case .literal(let literal): literal
    }
  }
}
