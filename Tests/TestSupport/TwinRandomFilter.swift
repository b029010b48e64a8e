extension TwinFilter {
  /// Names as they are in ``TwinDataset``, and one that no feature has.
  private static let names = [
    "country", "population", "share", "rank", "kind", "is open", "absent",
  ]

  /// A random filter over such features, up to some depth.
  public static func random(
    depth: Int = 3, over twin: Twin, using generator: inout SeededGenerator
  ) -> TwinFilter {
    guard depth > 0, generator.chance(0.6) else {
      return comparison(over: twin, using: &generator)
    }
    func part(_ generator: inout SeededGenerator) -> TwinFilter {
      random(depth: depth - 1, over: twin, using: &generator)
    }
    func parts(_ generator: inout SeededGenerator) -> [TwinFilter] {
      (0..<generator.int(2...3)).map { _ in part(&generator) }
    }
    switch generator.int(0...4) {
    case 0: return .not(part(&generator))
    case 1...2: return .and(parts(&generator))
    default: return .or(parts(&generator))
    }
  }

  private static func comparison(
    over twin: Twin, using generator: inout SeededGenerator
  ) -> TwinFilter {
    let name = generator.pick(names)
    let isNegated = generator.chance(0.4)
    func value(_ generator: inout SeededGenerator) -> Operand {
      literal(like: name, over: twin, using: &generator)
    }
    // Mostly the property on the left, as people write it.
    let one: Operand = generator.chance(0.9) ? .property(name) : value(&generator)
    switch generator.int(0...9) {
    case 0...3:
      let other: Operand =
        generator.chance(0.12) ? .property(generator.pick(names)) : value(&generator)
      let relation = generator.pick(Relation.allCases)
      return generator.chance(0.8)
        ? .compare(one, relation, other) : .compare(other, relation, one)
    case 4...5:
      let ends = [value(&generator), value(&generator)]
      return .between(one, ends[0], ends[1], isNegated: isNegated)
    case 6...7:
      let list = (0..<generator.int(1...5)).map { _ in
        generator.chance(0.1) ? Operand.property(generator.pick(names)) : value(&generator)
      }
      return .among(one, list, isNegated: isNegated)
    case 8:
      let pattern = pattern(over: twin, using: &generator)
      return .like(
        .property(generator.pick(["name", "country", "kind"])), pattern, isNegated: isNegated)
    default: return .isNull(name, isNegated: isNegated)
    }
  }

  /// A value that some feature has under that name, or one of another property or type.
  private static func literal(
    like name: String, over twin: Twin, using generator: inout SeededGenerator
  ) -> Operand {
    if generator.chance(0.08) { return .literal(generator.pick([5, "5", true, -1.5, "zz", 1e21])) }
    for _ in 0..<5 {
      switch generator.pick(twin.placed).value(name) {
      case .number(let text)?: return .literal(.number(text))
      case .string(let text)?: return .literal(.string(text))
      case .bool(let value)?: return .literal(.bool(value))
      default: continue
      }
    }
    return .literal("none")
  }

  /// A pattern made from some feature's country or name.
  private static func pattern(
    over twin: Twin, using generator: inout SeededGenerator
  ) -> String {
    if generator.chance(0.2) {
      return generator.pick([
        "%", "", "_", "__", "no. %", "%1_", "a,b;c\\_\\%", "%\\%%", "%_%", "_\u{301}",
      ])
    }
    let one = generator.pick(twin.placed)
    var pattern = ""
    for scalar in (one.value(generator.pick(["country", "name"]))?.string ?? "no. 1").unicodeScalars
    {
      switch generator.int(0...9) {
      case 0: pattern += "_"
      case 1: pattern += "%"
      case 2: pattern += "%_"
      default:
        // With a backslash before it, a text in CQL2 has another sign for these.
        let isPlain = !"abtnvfr'".unicodeScalars.contains(scalar)
        if "%_\\".unicodeScalars.contains(scalar) || generator.chance(0.1) && isPlain {
          pattern += "\\"
        }
        pattern.unicodeScalars.append(scalar)
      }
    }
    return generator.chance(0.3) ? pattern + "%" : pattern
  }
}
