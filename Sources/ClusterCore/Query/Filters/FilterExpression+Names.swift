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
    forEachOperand { operand, _, condition in
      guard case .property(let name) = operand, name != ColumnName.featureID else { return }
      var isCompared = false
      switch condition {
      case .window: return
      case .comparison(let a, _, let b): isCompared = a.isText && b.isText
      default: break
      }
      guard let index = found.firstIndex(where: { $0.name == name }) else {
        return found.append(NamedProperty(name: name, isCompared: isCompared))
      }
      if isCompared { found[index].isCompared = true }
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
