import ClusterCore
import Dispatch
import Threading

/// Sorts the features of a collection into index order beside the caller, then writes its index file,
/// without keeping the index in memory.
///
/// `@unchecked Sendable`: `sorter` and `failure` are touched on `queue` only.
final class IndexFileSorting: @unchecked Sendable {
  private let queue = DispatchQueue(label: "pincluster.sort")
  private var sorter: IndexFileSorter
  private var failure: (any Error)?

  /// - Parameter path: the scratch file; its name is free again when this returns.
  init(scratch path: String) throws(StoreError) {
    sorter = IndexFileSorter(scratch: try ScratchFile(path))
  }

  /// Takes features whose ids follow those of earlier ones while `body` runs, and returns when both are
  /// done. What goes wrong with the features is thrown by ``write(to:of:while:)``.
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
    let outcome = Locked<Result<Int, any Error>?>(nil)
    queue.async { [self] in
      let result = Result {
        if let failure { throw failure }
        let writer = try IndexFileWriter(path)
        let count = try sorter.finish(to: writer.append)
        if count > 0 { try writer.finish(identity) }
        return count
      }
      outcome.withLock { $0 = result }
    }
    body()
    queue.sync {}
    return try outcome.withLock { $0 }?.get() ?? 0
  }
}
