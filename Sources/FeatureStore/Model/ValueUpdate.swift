/// What to do with something that a collection may have.
public enum ValueUpdate<Value: Sendable & Equatable>: Sendable, Equatable {
  /// Leave it as it is.
  case keep
  /// Remove it.
  case clear
  /// Replace it.
  case set(Value)

  /// The value after the update.
  func applied(to value: Value?) -> Value? {
    switch self {
    case .keep: value
    case .clear: nil
    case .set(let new): new
    }
  }
}
