/// What becomes of the index files, and of the data directory.
public enum IndexFileEvent: Sendable {
  /// One was read, with the number of features that have changed since it was written.
  case read(collection: String, changes: Int)
  /// One was written.
  case written(collection: String, seconds: Double)
  /// One can't be used; the index was made of the rows instead.
  case unusable(collection: String, reason: String)
  /// Rows or pages of the database were found damaged after the start. What is served isn't.
  case damaged(reason: String)
  /// One couldn't be written, so the next start takes longer.
  case failed(collection: String, reason: String)

  /// The data directory has been removed or replaced, or is back.
  case place(isLost: Bool)

  /// A function that is told of events, on any thread.
  public typealias Report = @Sendable (IndexFileEvent) -> Void
}
