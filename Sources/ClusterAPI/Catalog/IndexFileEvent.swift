/// What becomes of the files in which large indexes are kept for the next start.
public enum IndexFileEvent: Sendable {
  /// One was read, and so many features that have changed since it was written.
  case read(collection: String, changes: Int)
  /// One was written.
  case written(collection: String, seconds: Double)
  /// One was found that can't be used; the index was made of the rows instead.
  case unusable(collection: String, reason: String)
  /// Rows or pages of the database were found damaged after the start. What is served isn't.
  case damaged(reason: String)
  /// One couldn't be written; the next start takes longer, and nothing else.
  case failed(collection: String, reason: String)

  /// A function that is told of events, on any thread.
  public typealias Report = @Sendable (IndexFileEvent) -> Void
}
