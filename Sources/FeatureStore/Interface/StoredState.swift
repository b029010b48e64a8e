/// Whether a feature is there.
public enum StoredState: Sendable {
  /// There is no row.
  case absent
  /// There is a row of a feature that has expired.
  case expired
  case living
}
