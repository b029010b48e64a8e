import ClusterCore
import Dispatch
import FeatureStore

/// Keeps the indexes of large collections in files, so that the next start needn't make them again. A
/// file is written aside, from an index that doesn't change; what is written meanwhile is noted in the
/// database.
extension CollectionWriter {
  /// What the writer knows about those files.
  struct IndexFileKeeping {
    var report: IndexFileEvent.Report = { _ in }
    fileprivate var job: IndexFileJob?
    fileprivate var verification: (verifier: StoreVerifier, end: DispatchSemaphore)?
    /// When to look next.
    fileprivate var next = DispatchTime.now()
    /// The versions of collections that wait for a file, and how often they were looked at.
    fileprivate var waiting: [Int64: (version: Int64, looks: Int)] = [:]
  }

  /// How long the end of the service may take because of a file.
  private static let patience = DispatchTimeInterval.seconds(5)

  /// Begins a file if a collection needs one. One at a time, and not all the time.
  func keepIndexFiles() {
    dispatchPrecondition(condition: .onQueue(queue))
    _ = try? store.trimChanges()
    guard indexFiles.job == nil, indexFiles.next <= .now() else { return }
    indexFiles.next = .now() + .seconds(1)
    for snapshot in catalog.all where needsFile(snapshot) && isSettled(snapshot) {
      return begin(snapshot)
    }
  }

  /// Looks, aside, for damage that the start hasn't looked for.
  func verify(_ verifier: StoreVerifier?) {
    guard let verifier else { return }
    let (end, report) = (DispatchSemaphore(value: 0), indexFiles.report)
    let isRunning = BackgroundThread.start(niceness: 15) {
      do { try verifier.run() } catch { report(.damaged(reason: "\(error)")) }
      end.signal()
    }
    if isRunning { indexFiles.verification = (verifier, end) }
  }

  private func needsFile(_ snapshot: CollectionSnapshot) -> Bool {
    let count = snapshot.index.count
    guard count >= FeatureStore.indexFileMinimum else { return false }
    switch store.indexFileState(of: snapshot.info) {
    case .missing: return true
    case .present(let changes): return changes > count / 40
    case .underWay: return false
    }
  }

  /// Whether there was no write for a second, or there is one all the time.
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
    let queue = self.queue
    let finish: @Sendable () -> Void = { [weak self] in self?.finish(job) }
    let isRunning = BackgroundThread.start(niceness: 10) {
      job.run()
      queue.async(execute: finish)
    }
    guard isRunning else { return store.abandonIndexFile(draft) }
    indexFiles.job = job
  }

  /// Takes a file over that was written.
  private func finish(_ job: IndexFileJob) {
    guard indexFiles.job === job, let outcome = job.outcome.withLock({ $0 }) else { return }
    indexFiles.job = nil
    let nanoseconds = DispatchTime.now().uptimeNanoseconds - job.start.uptimeNanoseconds
    let id = job.snapshot.info.id
    do {
      do {
        try outcome.get()
      } catch {
        store.abandonIndexFile(job.draft)
        throw error
      }
      try store.finishIndexFile(job.draft)
      indexFiles.report(.written(collection: id, seconds: Double(nanoseconds) / 1e9))
    } catch {
      indexFiles.report(.failed(collection: id, reason: "\(error)"))
    }
    // Files are never more than a twentieth of what the disk is asked to do.
    indexFiles.next = .now() + .nanoseconds(Int(clamping: max(nanoseconds * 20, 30_000_000_000)))
  }

  /// Before the store is closed: waits for the file that is being written and writes what is missing,
  /// but not for long.
  func finishIndexFiles() {
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
    where needsFile(snapshot) && store.indexFileState(of: snapshot.info) == .missing
      && deadline > .now()
    {
      guard let draft = try? store.beginIndexFile(of: snapshot.info) else { return }
      let job = IndexFileJob(snapshot, draft)
      job.stop(at: deadline)
      job.run()
      indexFiles.job = job
      finish(job)
    }
  }
}
