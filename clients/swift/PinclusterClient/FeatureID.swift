/// The id of a feature: an integer or a string. 17 and "17" are the same feature.
public enum FeatureID: Hashable, Sendable {
  case integer(Int64)
  case string(String)

  /// The id as it stands in a path.
  public var text: String {
    switch self {
    case .integer(let value): String(value)
    case .string(let value): value
    }
  }
}

extension FeatureID: Codable {
  /// Decodes it as the contract has it.
  ///
  /// - Throws: `DecodingError` for any other form.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else {
      self = .string(try container.decode(String.self))
    }
  }

  /// Encodes it as the contract has it.
  ///
  /// - Throws: the error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .integer(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    }
  }
}

extension FeatureID: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
  /// Creates it from a literal.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Creates it from a literal.
  public init(stringLiteral value: String) { self = .string(value) }
}
