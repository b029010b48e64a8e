import ClusterCore
import Dispatch
import FeatureStore
import Synchronization
import Threading

/// Keeps the indexes of large collections in files, so that the next start need not make them again. A
/// file is written on another thread, from an index that doesn't change. Writes to the collection
/// meanwhile are noted in the database.
extension CollectionWriter {
  /// The writer's state of index files.
  struct IndexFileKeeping {
    var report: StoreEvent.Report = { _ in }
    fileprivate var job: IndexFileJob?
    fileprivate var verification: (verifier: StoreVerifier, end: DispatchSemaphore)?
    /// When to look next.
    fileprivate var next = DispatchTime.now()
    /// The versions of collections that wait for a file, and how often they were looked at.
    fileprivate var waiting: [Int64: (version: Int64, looks: Int)] = [:]
  }

  /// A file that is being written.
  fileprivate final class IndexFileJob: Sendable {
    let snapshot: CollectionSnapshot
    let draft: IndexFileDraft
    let outcome = Locked<Result<Void, any Error>?>(nil)
    let start = DispatchTime.now()
    /// When to give up, as `DispatchTime` counts.
    private let deadline = Atomic<UInt64>(.max)
    private let end = DispatchSemaphore(value: 0)

    init(_ snapshot: CollectionSnapshot, _ draft: IndexFileDraft) {
      (self.snapshot, self.draft) = (snapshot, draft)
    }

    func run() {
      let outcome = Result {
        try draft.write(snapshot.index) {
          DispatchTime.now().uptimeNanoseconds < deadline.load(ordering: .relaxed)
        }
      }
      self.outcome.withLock { $0 = outcome }
      end.signal()
    }

    func stop(at time: DispatchTime) {
      deadline.store(time.uptimeNanoseconds, ordering: .relaxed)
    }

    func wait() { end.wait() }
  }

  /// How long index files may delay the end of the service.
  private static let patience = DispatchTimeInterval.seconds(5)

  /// Begins a file if a collection needs one. There is one at a time, with pauses between them.
  func keepIndexFiles() {
    home.check()
    _ = try? store.trimChanges(atMost: 20_000)
    guard indexFiles.job == nil, indexFiles.next <= .now() else { return }
    indexFiles.next = .now() + .seconds(1)
    store.keepReserve()
    for snapshot in catalog.all where needsFile(snapshot) && isSettled(snapshot) {
      return begin(snapshot)
    }
  }

  /// Looks on another thread for damage that the start hasn't looked for.
  func verify(_ verifier: StoreVerifier?) {
    home.check()
    guard let verifier else { return }
    let (end, report) = (DispatchSemaphore(value: 0), indexFiles.report)
    let isRunning = BackgroundThread.start(niceness: 15) {
      do { try verifier.run() } catch { report(.damaged(reason: "\(error)")) }
      end.signal()
    }
    if isRunning { indexFiles.verification = (verifier, end) }
  }

  private func needsFile(_ snapshot: CollectionSnapshot) -> Bool {
    snapshot.index.count >= IndexFileState.minimumCount
      && store.indexFileState(of: snapshot.info) == .missing
  }

  /// Whether there was no write for a second, or writes don't stop.
  private func isSettled(_ snapshot: CollectionSnapshot) -> Bool {
    let (key, version) = (snapshot.info.key, snapshot.info.version)
    let before = indexFiles.waiting[key]
    indexFiles.waiting[key] = (version, (before?.looks ?? 0) + 1)
    guard let before, before.version == version || before.looks >= 10 else { return false }
    indexFiles.waiting[key] = nil
    return true
  }

  private func begin(_ snapshot: CollectionSnapshot) {
    guard let draft = try? store.beginIndexFile(of: snapshot.info) else { return }
    let job = IndexFileJob(snapshot, draft)
    let finish: @Sendable () -> Void = { [weak self] in self?.finish(job) }
    let isRunning = BackgroundThread.start(niceness: 10) { [queue] in
      job.run()
      queue.async(execute: finish)
    }
    guard isRunning else { return store.abandonIndexFile(draft) }
    indexFiles.job = job
  }

  /// Puts a file that was written in its place.
  private func finish(_ job: IndexFileJob) {
    home.check()
    guard indexFiles.job === job, let outcome = job.outcome.withLock({ $0 }) else { return }
    indexFiles.job = nil
    let nanoseconds = DispatchTime.now().uptimeNanoseconds - job.start.uptimeNanoseconds
    let id = job.snapshot.info.id
    do {
      if case .failure = outcome { store.abandonIndexFile(job.draft) }
      try outcome.get()
      try store.finishIndexFile(job.draft)
      indexFiles.report(.written(collection: id, seconds: Double(nanoseconds) / 1e9))
    } catch {
      indexFiles.report(.failed(collection: id, reason: "\(error)"))
    }
    // The disk is busy with index files for at most a twentieth of the time.
    indexFiles.next = .now() + .nanoseconds(Int(clamping: max(nanoseconds * 20, 30_000_000_000)))
  }

  /// Waits for the file that is being written and writes those that are missing, until a deadline. To be
  /// called before the store is closed.
  func finishIndexFiles() {
    home.check()
    if let (verifier, end) = indexFiles.verification {
      verifier.stop()
      end.wait()
      indexFiles.verification = nil
    }
    let deadline = DispatchTime.now() + CollectionWriter.patience
    if let job = indexFiles.job {
      job.stop(at: deadline)
      job.wait()
      finish(job)
    }
    for snapshot in catalog.all
    where needsFile(snapshot) && deadline > .now() {
      guard let draft = try? store.beginIndexFile(of: snapshot.info) else { return }
      let job = IndexFileJob(snapshot, draft)
      job.stop(at: deadline)
      job.run()
      indexFiles.job = job
      finish(job)
    }
  }
}
