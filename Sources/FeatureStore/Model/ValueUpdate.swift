/// A change of an optional value, such as a collection's title.
public enum ValueUpdate<Value: Sendable & Equatable>: Sendable, Equatable {
  /// Leave the value as it is.
  case keep
  /// Remove the value.
  case clear
  /// Set the value.
  case set(Value)

  /// The value after the update.
  public func applied(to value: Value?) -> Value? {
    switch self {
    case .keep: value
    case .clear: nil
    case .set(let new): new
    }
  }
}
