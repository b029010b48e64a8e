internal import ClusterCore

extension CQL2Parser {
  /// The arguments of a spatial function, up to its parenthesis. One of them is the feature's geometry.
  mutating func shapes(_ function: CQL2Token) throws(CQL2Error) -> FilterExpression {
    let left = try geometry()
    try expect(.comma, "a comma")
    let right = try geometry()
    try expect(.rightParenthesis, ")")
    switch (left, right) {
    case (nil, let shape?), (let shape?, nil): return .shape(shape)
    case (nil, nil): return .literal(true)
    case (_?, _?):
      throw tokenizer.failure(
        at: function.start, "one of the two geometries must be that of the features: geometry")
    }
  }

  /// The arguments of S_DWITHIN, up to its parenthesis: the feature's geometry and a point, and metres.
  mutating func disc() throws(CQL2Error) -> FilterExpression {
    let first = token
    let left = try geometry()
    try expect(.comma, "a comma")
    let right = try geometry()
    guard let centre = CQL2Geometry.centre(left?.parts, right?.parts) else {
      throw tokenizer.failure(
        at: first.start, "one of the two geometries must be geometry, and the other a POINT")
    }
    try expect(.comma, "a comma and a distance in metres")
    let metres = try coordinate()
    try expect(.rightParenthesis, ") after the distance in metres")
    return .shape(try CQL2Geometry.shape([.disc(GlobeDisc(around: centre, metres: metres))]))
  }

  /// A shape; nil for the geometry of features.
  private mutating func geometry() throws(CQL2Error) -> Shape? {
    let first = token
    switch token.kind {
    case .name(let name), .quotedName(let name):
      try advance()
      if case .name = first.kind, let kind = try geometryAhead(name) {
        return try CQL2Geometry.shape(try parts(kind))
      }
      guard CQL2Geometry.names.contains(name) else {
        throw tokenizer.failure(
          at: first.start,
          "\(CQL2Parser.describe(first.kind)) is not a geometry; that of features is geometry")
      }
      return nil
    default: throw unexpected("geometry, or a geometry such as POINT(7 51)")
    }
  }

  /// The kind of geometry that begins at the current token, the parenthesis after a name, if there is one. A Z
  /// between them says that points have heights.
  private mutating func geometryAhead(_ name: [UInt8]) throws(CQL2Error) -> CQL2Geometry? {
    guard case .geometry(let kind) = CQL2Function(name) else { return nil }
    if case .name(let letter) = token.kind, letter == [0x5A] || letter == [0x7A] { try advance() }
    guard token.kind == .leftParenthesis else { return nil }
    return kind
  }

  // MARK: Well-known text

  private mutating func parts(_ kind: CQL2Geometry) throws(CQL2Error) -> [ShapePart] {
    switch kind {
    case .point: return [.point(try enclosed { (parser) throws(CQL2Error) in try parser.point() })]
    case .line: return [.line(try line())]
    case .polygon: return [.polygon(try polygon())]
    case .points:
      return try list { (parser) throws(CQL2Error) in
        guard parser.token.kind == .leftParenthesis else { return .point(try parser.point()) }
        return .point(try parser.enclosed { (parser) throws(CQL2Error) in try parser.point() })
      }
    case .lines: return try list { (parser) throws(CQL2Error) in .line(try parser.line()) }
    case .polygons: return try list { (parser) throws(CQL2Error) in .polygon(try parser.polygon()) }
    case .collection:
      return try list { (parser) throws(CQL2Error) in
        guard case .name(let name) = parser.token.kind else {
          throw parser.unexpected("a geometry")
        }
        let first = parser.token
        try parser.advance()
        guard let kind = try parser.geometryAhead(name), kind != .collection, kind != .box else {
          throw parser.tokenizer.failure(
            at: first.start, "a collection holds points, lines and polygons")
        }
        return try parser.parts(kind)
      }.flatMap(\.self)
    case .box:
      let start = token.start
      let numbers = try list { (parser) throws(CQL2Error) in try parser.coordinate() }
      guard let envelope = CQL2Geometry.envelope(numbers) else {
        throw tokenizer.failure(at: start, "an envelope has four or six numbers")
      }
      return [envelope]
    }
  }

  private mutating func polygon() throws(CQL2Error) -> [[Coordinate]] {
    try list { (parser) throws(CQL2Error) in try parser.line() }
  }

  private mutating func line() throws(CQL2Error) -> [Coordinate] {
    try list { (parser) throws(CQL2Error) in try parser.point() }
  }

  private mutating func enclosed<R>(
    _ body: (inout CQL2Parser) throws(CQL2Error) -> R
  ) throws(CQL2Error) -> R {
    try expect(.leftParenthesis, "(")
    let result = try body(&self)
    try expect(.rightParenthesis, ")")
    return result
  }

  /// Elements in parentheses, separated by commas.
  private mutating func list<R>(
    _ element: (inout CQL2Parser) throws(CQL2Error) -> R
  ) throws(CQL2Error) -> [R] {
    guard token.kind == .leftParenthesis else { throw unexpected("(") }
    var elements: [R] = []
    repeat {
      try advance()
      elements.append(try element(&self))
    } while token.kind == .comma
    try expect(.rightParenthesis, "a comma or )")
    return elements
  }

  /// Longitude, latitude, and perhaps a height.
  private mutating func point() throws(CQL2Error) -> Coordinate {
    let (longitude, latitude) = (try coordinate(), try coordinate())
    switch token.kind {
    case .number, .arithmetic: _ = try coordinate()
    default: break
    }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  private mutating func coordinate() throws(CQL2Error) -> Double {
    let isNegative = token.kind == .arithmetic(.subtract)
    if isNegative { try advance() }
    guard case .number(let value) = token.kind else { throw unexpected("a number") }
    try advance()
    return isNegative ? -value : value
  }
}
