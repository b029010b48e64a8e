/// The ids of features in filters.
extension FilterExpression {
  /// The condition that a feature is one of some, in normal form.
  public static func isOne(of ids: some Sequence<FeatureID>) -> FilterExpression {
    listing(
      ids.map { id in
        switch id.key {
        case .integer(let number): .number(Double(number))
        case .text(let text): .string(text)
        }
      })
  }

  /// The normal form, with a property standing for a feature's id: a number, or a string if it was written as one.
  /// Where it is to be equal to 17, "17" is the same.
  public func readingID(as property: [UInt8]) -> FilterExpression {
    normalised.renaming(.property(property))
  }

  private static func listing(_ literals: [Operand]) -> FilterExpression {
    var seen: Set<Operand> = []
    let all = literals.flatMap { [$0, $0.otherForm].compactMap(\.self) }
      .filter { seen.insert($0).inserted }
    let id = Operand.property(ColumnName.featureID)
    return switch all.count {
    case 0: .literal(false)
    case 1: .comparison(id, .equal, all[0])
    default: .inList(id, all)
    }
  }

  private func renaming(_ id: Operand) -> FilterExpression {
    switch self {
    case .comparison(id, .equal, let literal) where literal.isConstant && literal.otherForm != nil:
      .listing([literal])
    case .inList(id, let literals): .listing(literals)
    case .not(let condition): .not(condition.renamingOperands(id))
    case .and(let parts): .and(parts.map { $0.renaming(id) })
    case .or(let parts): .or(parts.map { $0.renaming(id) })
    default: renamingOperands(id)
    }
  }

  /// The same condition on the id. Two forms of a number in what is negated would be of two types.
  private func renamingOperands(_ id: Operand) -> FilterExpression {
    switch self {
    case .comparison(let a, let comparison, let b):
      .comparison(a.renamed(id), comparison, b.renamed(id))
    case .between(let value, let low, let high):
      .between(value.renamed(id), low.renamed(id), high.renamed(id))
    case .inList(let value, let list): .inList(value.renamed(id), list.map { $0.renamed(id) })
    case .like(let value, let pattern): .like(value.renamed(id), pattern)
    case .isNull(let value): .isNull(value.renamed(id))
    case .literal, .temporal, .window, .shape, .not, .and, .or: self
    }
  }

  // MARK: Looking features up

  /// The only features for which a normalised expression can be true; nil if it may be true for others. O(ids)
  var ids: Set<FeatureID>? {
    let lists = conjuncts.compactMap(\.literalsOfID).map { Set($0.compactMap(\.id)) }
    return lists.first.map { lists.dropFirst().reduce($0) { $0.intersection($1) } }
  }

  /// At least the number of these features; nil if it may be true for others.
  var idCount: Int? { conjuncts.lazy.compactMap(\.literalsOfID?.count).first }

  /// The other conditions on these features; nil if there are none.
  var withoutIDs: FilterExpression? { joining { $0.literalsOfID == nil } }

  /// The columns that must be read to tell for which features it is true.
  public var neededColumns: [ColumnName] {
    idCount == nil ? columnNames : withoutIDs?.columnNames ?? []
  }

  /// The ids that a condition allows.
  private var literalsOfID: [Operand]? {
    switch self {
    case .comparison(.property(ColumnName.featureID), .equal, let literal):
      literal.isConstant ? [literal] : nil
    case .inList(.property(ColumnName.featureID), let literals): literals
    default: nil
    }
  }
}

extension FilterExpression.Operand {
  fileprivate func renamed(_ id: Self) -> Self {
    switch self {
    case id: .property(ColumnName.featureID)
    case .folded(let folding, let inner): .folded(folding, inner.renamed(id))
    case .arithmetic(let operation, let a, let b):
      .arithmetic(operation, a.renamed(id), b.renamed(id))
    case .property, .number, .string, .bool, .time: self
    }
  }

  /// A number as the text that is the same id, or the other way round; nil if it has one form only.
  fileprivate var otherForm: Self? {
    switch self {
    case .number(let number):
      guard let id = try? FeatureID(number: number) else { return nil }
      return .string(Array(id.description.utf8))
    case .string(let text): return FeatureID.canonicalInteger(text).map { .number(Double($0)) }
    default: return nil
    }
  }

  /// The id that a literal is, if it is one.
  fileprivate var id: FeatureID? {
    switch self {
    case .number(let number): try? FeatureID(number: number)
    case .string(let text): try? FeatureID(text: text)
    default: nil
    }
  }
}
