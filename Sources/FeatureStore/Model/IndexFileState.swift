/// The state of a collection's index file.
public enum IndexFileState: Sendable, Equatable {
  /// The size from which on a collection gets an index file.
  public static let minimumCount = 100_000

  /// There is no file.
  case missing
  /// There is a file, and a number of changes since.
  case present(changes: Int)
  /// A file is being written.
  case underWay
}
