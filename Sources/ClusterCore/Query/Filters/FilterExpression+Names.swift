extension FilterExpression {
  /// A property that a filter names.
  public struct NamedProperty: Equatable, Sendable {
    /// In UTF-8.
    public let name: [UInt8]
    /// Whether it is compared with another property somewhere, as is a text that stands without its quotes.
    public fileprivate(set) var isCompared: Bool
  }

  /// The properties that an expression in normal form names, in order of occurrence and each once, without those of a
  /// ``window(property:_:)`` and without the id.
  ///
  /// - Complexity: O(conditions · properties).
  public var namedProperties: [NamedProperty] {
    var found: [NamedProperty] = []
    func add(_ name: [UInt8], isCompared: Bool = false) {
      if name == ColumnName.featureID { return }
      guard let index = found.firstIndex(where: { $0.name == name }) else {
        return found.append(NamedProperty(name: name, isCompared: isCompared))
      }
      if isCompared { found[index].isCompared = true }
    }
    func add(_ operand: Operand, isCompared: Bool = false) {
      operand.forEach { if case .property(let name) = $0 { add(name, isCompared: isCompared) } }
    }
    forEachCondition { condition in
      switch condition {
      case .comparison(let a, _, let b):
        let isCompared = a.isText && b.isText
        add(a, isCompared: isCompared)
        add(b, isCompared: isCompared)
      // In normal form lists and ranges hold literals.
      case .between(let value, _, _), .inList(let value, _), .like(let value, _),
        .isNull(let value):
        add(value)
      case .temporal(_, let a, let b):
        for name in a.properties + b.properties { add(name) }
      case .window, .shape, .literal, .not, .and, .or: break
      }
    }
    return found
  }
}

extension FilterExpression.Operand {
  /// Whether it is the value of a property that may be a text.
  fileprivate var isText: Bool {
    switch self {
    case .property: true
    case .folded(_, let inner): inner.isText
    case .number, .string, .bool, .time, .arithmetic: false
    }
  }
}
