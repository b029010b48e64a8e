import CHints

/// The processors that this process may use.
public enum Processors {
  /// Their number, at least 1.
  public static let count = Int(chints_processors())
}
