import ClusterCore

/// The index of a large collection on its way into a file beside the database. The file is a cache: it
/// is there so that the next start needn't make the index again.
public struct IndexFileDraft: Sendable {
  /// The collection's key.
  public let key: Int64
  let file: ChangeLog.File
  let path: String
  let identity: IndexFileLayout.Identity

  /// Writes the file; on any thread. On a full disk it throws and leaves nothing behind.
  ///
  /// - Parameters:
  ///   - index: the collection as it was when the file was begun.
  ///   - isWanted: asked now and then; once it says no this throws.
  public func write(_ index: FeatureIndex, while isWanted: () -> Bool) throws {
    let writer = try IndexFileWriter(path)
    try index.encode { section, bytes in
      guard isWanted() else { throw StoreError.io(reason: "the index is no longer wanted") }
      try writer.append(section, bytes)
    }
    try writer.finish(identity)
  }
}
