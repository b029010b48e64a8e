import ClusterCore
import Dispatch

/// Sorts the features of a collection into index order beside the caller, then writes its index file,
/// without keeping the index in memory.
///
/// `@unchecked Sendable`: `sorter`, `failure` and `written` are used on `queue` only.
final class IndexFileSorting: @unchecked Sendable {
  private let queue = DispatchQueue(label: "pincluster.sort")
  private var sorter: IndexFileSorter
  private var failure: (any Error)?
  private var written = 0

  /// - Parameter path: the scratch file; its name is free again when this returns.
  init(scratch path: String) throws(StoreError) {
    sorter = IndexFileSorter(scratch: try ScratchFile(path))
  }

  /// Takes features whose ids follow those of earlier ones while `body` runs, and returns when both are
  /// done. An error of sorting is thrown by ``write(to:of:while:)``.
  func append<E: Error>(_ batch: FeatureBatch, while body: () throws(E) -> Void) throws(E) {
    queue.async { [self] in
      guard failure == nil else { return }
      do { try sorter.append(batch) } catch { failure = error }
    }
    defer { queue.sync {} }
    try body()
  }

  /// Writes the index file of all features while `body` runs. Throws if any of it failed.
  ///
  /// - Returns: the number of features; without any there is no file.
  func write(
    to path: String, of identity: IndexFileLayout.Identity, while body: () -> Void
  ) throws -> Int {
    queue.async { [self] in
      guard failure == nil else { return }
      do {
        let writer = try IndexFileWriter(path)
        written = try sorter.finish(to: writer.append)
        if written > 0 { try writer.finish(identity) }
      } catch { failure = error }
    }
    body()
    return try queue.sync {
      if let failure { throw failure }
      return written
    }
  }
}
