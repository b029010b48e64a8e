import ClusterCore
import Dispatch

/// The end of sorting, on a thread of its own.
///
/// `@unchecked Sendable`: what it holds is touched on its queue, or by its owner while the queue is idle.
final class IndexFileMerge: @unchecked Sendable {
  private let sorted: SortingConsumer
  private let writer: IndexFileWriter
  private let identity: IndexFileLayout.Identity
  private var outcome: Result<Void, any Error> = .success(())

  init(_ sorted: SortingConsumer, _ writer: IndexFileWriter, _ identity: IndexFileLayout.Identity) {
    (self.sorted, self.writer, self.identity) = (sorted, writer, identity)
  }

  /// Writes what was sorted into a file while `body` runs. Throws why the file isn't whole.
  func run(while body: () -> Void) throws {
    let queue = DispatchQueue(label: "pincluster.merge")
    queue.async { [self] in
      outcome = Result {
        _ = try sorted.finish(to: writer.append)
        try writer.finish(identity)
      }
    }
    body()
    queue.sync {}
    try outcome.get()
  }
}
