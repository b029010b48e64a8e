import CHints

/// The processors that this process may use.
public enum Processors {
  /// How many there are, at least 1.
  public static let count = Int(chints_processors())
}
