internal import ClusterCore

/// Reads filters in CQL2 JSON. Pointers in errors lead into the filter.
struct CQL2JSONReader {
  private var depth = 0
  private var operations = 0

  typealias Operand = FilterExpression.Operand

  // Characters: signs that are equal to themselves only
  static let comparisons: [String: FilterExpression.Comparison] = [
    "=": .equal, "<>": .notEqual, "<": .less, "<=": .lessOrEqual, ">": .greater,
    ">=": .greaterOrEqual,
  ]

  /// A condition: true, false, or an operation.
  mutating func condition(
    _ json: JSONValue, at pointer: String
  ) throws(CQL2Error) -> FilterExpression {
    if let literal = json.bool { return .literal(literal) }
    guard let (operation, arguments) = try operation(json, at: pointer) else {
      throw .json(
        pointer: pointer, detail: #"a condition is true, false or {"op": …, "args": […]}"#)
    }
    try descend()
    defer { depth -= 1 }
    if let comparison = CQL2JSONReader.comparisons[operation] {
      try arguments.check(2)
      return .comparison(try operand(arguments[0]), comparison, try operand(arguments[1]))
    }
    switch operation {
    case "and", "or":
      guard arguments.list.count >= 2 else {
        throw .json(pointer: arguments.pointer, detail: "\(operation) joins two or more conditions")
      }
      var parts: [FilterExpression] = []
      for index in arguments.list.indices { parts.append(try condition(arguments[index])) }
      return operation == "and" ? .and(parts) : .or(parts)
    case "not":
      try arguments.check(1)
      return .not(try condition(arguments[0]))
    case "isNull":
      try arguments.check(1)
      return .isNull(try operand(arguments[0]))
    case "between":
      try arguments.check(3)
      return .between(
        try operand(arguments[0]), try operand(arguments[1]), try operand(arguments[2]))
    case "in":
      try arguments.check(2)
      return .inList(try operand(arguments[0]), try list(arguments[1]))
    case "like":
      try arguments.check(2)
      return .like(try operand(arguments[0]), try pattern(arguments[1]))
    default: return try function(operation, arguments, at: pointer)
    }
  }

  private mutating func condition(
    _ argument: CQL2JSONArguments.Element
  ) throws(CQL2Error) -> FilterExpression {
    try condition(argument.value, at: argument.pointer)
  }

  private mutating func descend() throws(CQL2Error) {
    depth += 1
    guard depth <= FilterExpression.maximumDepth else {
      throw .tooDeep(detail: "the filter is nested deeper than \(FilterExpression.maximumDepth)")
    }
  }

  /// A temporal or spatial function.
  private mutating func function(
    _ name: String, _ arguments: CQL2JSONArguments, at pointer: String
  ) throws(CQL2Error) -> FilterExpression {
    switch CQL2Function(Array(name.utf8)) {
    case .temporal(let relation):
      try arguments.check(2)
      return .temporal(
        relation, try CQL2JSONReader.span(arguments[0]), try CQL2JSONReader.span(arguments[1]))
    case .spatial(let isNegated):
      try arguments.check(2)
      let condition = try CQL2JSONReader.shape(arguments, at: pointer)
      return isNegated ? .not(condition) : condition
    case .distance:
      try arguments.check(3)
      return try CQL2JSONReader.disc(arguments)
    default:
      let hint =
        CQL2Function.isCaselessLike(Array(name.utf8)) ? "; \(CQL2Function.caselessHint)" : ""
      throw .json(
        pointer: pointer + "/op",
        detail:
          "\(String(name.unicodeScalars.prefix(40))) is not an operator of conditions that is "
          + "known here" + hint
      )
    }
  }

  /// The operator and the arguments of an operation; nil for anything else.
  private func operation(
    _ json: JSONValue, at pointer: String
  ) throws(CQL2Error) -> (String, CQL2JSONArguments)? {
    guard let operation = json["op"] else { return nil }
    guard let name = operation.string else {
      throw .json(pointer: pointer + "/op", detail: "an operator is a string")
    }
    guard let arguments = json["args"], arguments.kind == .array else {
      throw .json(pointer: pointer + "/args", detail: "the arguments of an operator are an array")
    }
    return (name, CQL2JSONArguments(arguments, at: pointer + "/args"))
  }

  // MARK: Operands

  private mutating func operand(
    _ argument: CQL2JSONArguments.Element
  ) throws(CQL2Error) -> Operand {
    let json = argument.value
    var pointer: String { argument.pointer }
    switch json.kind {
    case .string: return .string(json.stringBytes.map { Array($0) } ?? [])
    case .number: return .number(json.number ?? 0)
    case .bool: return .bool(json.bool ?? false)
    case .null:
      throw .json(pointer: pointer, detail: "values cannot be compared with null; use isNull")
    case .array: throw .json(pointer: pointer, detail: "an array is not a value here")
    case .object: break
    }
    if let name = CQL2JSONReader.property(json) { return .property(name) }
    if let time = try CQL2JSONReader.time(json, at: pointer) { return .time(time) }
    guard let (name, arguments) = try operation(json, at: pointer) else {
      throw .json(
        pointer: pointer,
        detail:
          "a value is a string, a number, a boolean, a property, a date, a timestamp or a function")
    }
    try descend()
    defer { depth -= 1 }
    if case .folding(let folding) = CQL2Function(Array(name.utf8)) {
      try arguments.check(1)
      return .folded(folding, try operand(arguments[0]))
    }
    guard let operation = Arithmetic(rawValue: name) else {
      throw .json(
        pointer: pointer + "/op",
        detail: "\(String(name.unicodeScalars.prefix(40))) is not a function that is known here")
    }
    operations += 1
    guard operations <= FilterExpression.maximumOperations else {
      throw .tooLarge(
        detail: "the filter has more than \(FilterExpression.maximumOperations) operations on "
          + "numbers")
    }
    try arguments.check(2)
    return .arithmetic(operation, try operand(arguments[0]), try operand(arguments[1]))
  }

  private mutating func list(
    _ argument: CQL2JSONArguments.Element
  ) throws(CQL2Error) -> [Operand] {
    guard argument.value.kind == .array, argument.value.count > 0 else {
      throw .json(pointer: argument.pointer, detail: "the values of in are an array of one or more")
    }
    let values = CQL2JSONArguments(argument.value, at: argument.pointer)
    var result: [Operand] = []
    for index in values.list.indices { result.append(try operand(values[index])) }
    return result
  }

  private func pattern(
    _ argument: CQL2JSONArguments.Element
  ) throws(CQL2Error) -> LikePattern {
    var (json, folding): (JSONValue, TextFolding) = (argument.value, [])
    while let (name, arguments) = try operation(json, at: argument.pointer),
      case .folding(let one) = CQL2Function(Array(name.utf8)), arguments.list.count == 1
    {
      folding.formUnion(one)
      json = arguments.list[0]
    }
    guard let text = json.stringBytes else {
      throw .json(pointer: argument.pointer, detail: "the pattern of like is a string")
    }
    return try LikePattern(checking: Array(text), folding) {
      .json(pointer: argument.pointer, detail: $0)
    }
  }

  /// The name of a property reference; nil for anything else.
  static func property(_ json: JSONValue) -> [UInt8]? {
    json["property"]?.stringBytes.map { Array($0) }
  }
}
