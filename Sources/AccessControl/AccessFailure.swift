/// The reason why a request is refused by its key or token alone.
public enum AccessFailure: Error, Sendable, Equatable {
  /// It has no key, and needs one.
  case missing
  /// Its field Authorization isn't of the form `Bearer KEY`.
  case malformed
  /// Its key isn't known.
  case unknown
  /// Its token is not valid: why.
  case token(String)
  /// Its key was used too often: the seconds until it may be used again.
  case tooOften(Double)
}
