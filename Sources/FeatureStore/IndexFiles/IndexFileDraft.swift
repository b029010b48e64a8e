import ClusterCore

/// An index file that is being written. The file is a cache: with it the next start needn't build the index
/// from the rows.
public struct IndexFileDraft: Sendable {
  let file: IndexFileName
  let path: String
  let identity: IndexFileLayout.Identity

  /// Writes the file, on any thread. On failure, such as a full disk, there is no file.
  ///
  /// - Parameters:
  ///   - index: the collection as it was when the file was begun.
  ///   - isWanted: called now and then; once it returns false this throws.
  /// - Throws: ``StoreError`` if the disk is full or fails, or the file isn't wanted any more.
  public func write(_ index: FeatureIndex, while isWanted: () -> Bool) throws {
    let writer = try IndexFileWriter(path)
    try index.encode { section, bytes in
      guard isWanted() else { throw StoreError.io(reason: "the index is no longer wanted") }
      try writer.append(section, bytes)
    }
    try writer.finish(identity)
  }
}
