extension TwinFilter {
  /// How a filter is written; what it means is the same.
  public struct Style: Sendable {
    /// The case of keywords.
    public enum Case: CaseIterable, Sendable {
      /// `AND`
      case upper
      /// `and`
      case lower
      /// `aNd`
      case mixed
    }

    /// The case of keywords.
    public var keywords = Case.upper
    /// Whether there is more space than there need be.
    public var isAiry = false
    /// Whether there are more parentheses than there need be.
    public var hasParentheses = false
    /// Whether every name is in double quotes.
    public var quotesNames = false

    /// As one would write it.
    public init() {}

    /// Any.
    public static func random(using generator: inout SeededGenerator) -> Style {
      var style = Style()
      style.keywords = generator.pick(Case.allCases)
      style.isAiry = generator.chance(0.3)
      style.hasParentheses = generator.chance(0.3)
      style.quotesNames = generator.chance(0.3)
      return style
    }
  }

  /// The filter in CQL2.
  public func text(_ style: Style = Style()) -> String {
    TwinFilterWriter(style: style).text(self, within: .or)
  }
}

private struct TwinFilterWriter {
  /// How tightly the parts of an expression hold together.
  enum Level: Int { case or, and, not, comparison }

  let style: TwinFilter.Style

  func text(_ filter: TwinFilter, within outer: Level) -> String {
    let (text, level) = bare(filter)
    let needed = level.rawValue < outer.rawValue
    return needed || style.hasParentheses ? "(\(gap)\(text)\(gap))" : text
  }

  private var gap: String { style.isAiry ? " \n\t" : "" }

  private func bare(_ filter: TwinFilter) -> (String, Level) {
    switch filter {
    case .or(let parts): (joined(parts, "OR", .and), parts.count > 1 ? .or : .and)
    case .and(let parts): (joined(parts, "AND", .not), parts.count > 1 ? .and : .not)
    case .not(let one): (word("NOT") + " " + text(one, within: .comparison), .not)
    default: (comparison(filter), .comparison)
    }
  }

  private func joined(_ parts: [TwinFilter], _ keyword: String, _ level: Level) -> String {
    parts.map { text($0, within: level) }.joined(separator: " \(gap)\(word(keyword)) \(gap)")
  }

  private func comparison(_ filter: TwinFilter) -> String {
    switch filter {
    case .compare(let a, let relation, let b):
      let space = style.isAiry ? "  " : ""
      return operand(a) + space + relation.rawValue + space + operand(b)
    case .between(let a, let low, let high, let isNegated):
      return operand(a) + negation(isNegated) + word("BETWEEN") + " " + operand(low) + " "
        + word("AND") + " " + operand(high)
    case .among(let a, let others, let isNegated):
      let list = others.map(operand).joined(separator: style.isAiry ? " ,\n" : ",")
      return operand(a) + negation(isNegated) + word("IN") + " (\(gap)\(list)\(gap))"
    case .like(let a, let pattern, let isNegated):
      return operand(a) + negation(isNegated) + word("LIKE") + " " + quoted(pattern)
    case .isNull(let property, let isNegated):
      return name(property) + " " + word("IS") + negation(isNegated) + word("NULL")
    case .not, .and, .or: return ""
    }
  }

  private func negation(_ isNegated: Bool) -> String { isNegated ? " " + word("NOT") + " " : " " }

  private func operand(_ operand: TwinFilter.Operand) -> String {
    switch operand {
    case .property(let property): name(property)
    case .literal(.string(let text)): quoted(text)
    case .literal(.bool(let value)): word(value ? "TRUE" : "FALSE")
    case .literal(let other): other.text
    }
  }

  private func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }

  private func name(_ name: String) -> String {
    let isPlain = !name.isEmpty && name.utf8.allSatisfy { (0x61...0x7A).contains($0) }
    return isPlain && !style.quotesNames ? name : "\"" + name + "\""
  }

  private func word(_ keyword: String) -> String {
    switch style.keywords {
    case .upper: keyword
    case .lower: keyword.lowercased()
    case .mixed:
      keyword.enumerated().map { $0.offset % 2 == 0 ? $0.element.lowercased() : "\($0.element)" }
        .joined()
    }
  }
}
