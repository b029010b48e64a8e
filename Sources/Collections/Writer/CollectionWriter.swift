import ClusterCore
import Dispatch
import FeatureStore
import Texts
import Threading

/// The only writer of the collections: puts each write on disk, then shows it to readers. It works on a queue of its
/// own, so that no event loop waits for a disk.
///
///     let catalog = Catalog()
///     let writer = CollectionWriter(store: try SQLiteStore(directory: "data"), catalog: catalog)
///     try writer.load()  // Readers now find the stored collections in the catalogue.
///     _ = writer.enqueue(write, share) { outcome in … }  // Called when the write is on disk, or has failed.
///     writer.close()
///
/// Small writes that wait together share a transaction, and with it one synchronization to disk, during which the
/// next ones gather. Each has its own outcome, and is answered after it is on disk.
///
/// `@unchecked Sendable`: the store, `sweeping`, `clearing` and `indexFiles` are used on the serial `queue` only,
/// which debug builds check. All else is Sendable.
package final class CollectionWriter: @unchecked Sendable {
  private typealias Job = WriteQueue.Job

  private struct Waiting {
    var jobs = WriteQueue()
    /// Whether the queue has been told to look.
    var isScheduled = false
    var isClosed = false
    /// The number of writes that the writer waits for; nil if it doesn't.
    var wanted: Int?

    /// Whether the writes are there that the writer waits for, which it then does no more.
    mutating func endsWait() -> Bool {
      guard let wanted, jobs.count >= wanted else { return false }
      self.wanted = nil
      return true
    }

    /// Takes the next writes that may share a transaction; none if no write waits.
    mutating func takeGroup() -> ArraySlice<Job> {
      let group = jobs.takeGroup()
      if group.isEmpty { isScheduled = false }
      return group[...]
    }
  }

  /// Counts and histograms of the writes since the start.
  package struct Counts {
    /// Writes that changed something.
    package var writes = 0
    /// Transactions that they made.
    package var commits = 0
    /// How long commits took, and the transactions before them.
    package var (committed, applied) = (Distribution(.moments), Distribution(.moments))
    /// How long writes waited, and how many shared a transaction.
    package var (waited, groups) = (Distribution(.waits), Distribution(.counts))
  }

  /// Part of every ETag: versions of another store mean something else.
  package let storeID: UInt64
  /// The memory of the writes that wait.
  package let memory: WriteMemory
  package let limits: WriteLimits
  let store: any FeatureStore
  /// The store, if others write to it, too.
  let shared: (any SharedStore)?
  let catalog: Catalog
  let queue = DispatchQueue(label: "pincluster.writer")
  /// The queue, to check that it is the caller's.
  let home: Isolation
  private let waiting = Locked(Waiting())
  private var gathering = WriteGathering()
  /// Signalled when the writes are there that the writer waits for.
  private let gathered = TimedSemaphore()
  /// The number of writes that wait.
  var waitingWrites: Int { waiting.withLock { $0.jobs.count } }
  private let done = Locked(Counts())
  var sweeping = Sweeping()
  var clearing = Clearing()
  var indexFiles = IndexFileKeeping()
  /// The fault of the store's log that was told last.
  private var logFault: ExactText?
  var following = Following()
  var comparing = Comparing()
  /// The connection to a store that others share; nil for any other store.
  package let link: StoreLink?

  /// A writer for a store, which it takes over, and the catalogue that it feeds.
  package init(
    store: sending any FeatureStore, catalog: Catalog, limits: WriteLimits = WriteLimits()
  ) {
    storeID = store.storeID
    self.limits = limits
    memory = WriteMemory(limits)
    self.store = store
    shared = store as? any SharedStore
    self.catalog = catalog
    home = .queue(queue)
    store.isolate(to: home)
    if let versions = store.unwrittenVersions { catalog.keepTime(store.clock, versions) }
    link = shared?.link
  }

  /// Loads every collection into the catalogue. To be called once, before any write.
  ///
  /// - Parameter report: is called with each event of the store, from now on.
  /// - Throws: ``StoreError`` if the store can't be read or is damaged.
  /// - Complexity: O(n) in the features of all collections.
  package func load(report: @escaping StoreEvent.Report = { _ in }) throws {
    try queue.sync {
      indexFiles.report = report
      var unread: [Int64] = []
      for info in try store.collections() {
        let loaded: LoadedIndex
        do { loaded = try store.loadIndex(of: info) } catch StoreError.dropped {
          continue
        } catch let error as StoreError where info.isAttached {
          // Somebody may have locked or dropped the table. It is tried again.
          report(.damaged(reason: "\(info.id): \(error)"))
          catalog.couldNotRead(info.id)
          shared?.couldNotShow(info, error)
          continue
        }
        if let changes = loaded.changes {
          unread.append(info.key)
          report(.read(collection: info.id, changes: changes))
        }
        if let fault = loaded.fault { report(.unusable(collection: info.id, reason: fault)) }
        show(
          CollectionSnapshot(
            info: loaded.info, collection: IndexedCollection(loaded.index),
            cache: catalog.cache?.another()),
          withoutExpired: loaded.expired)
      }
      store.keepReserve()
      startFollowing()
      startSweeping()
      verify(store.verifier(ofRowsOf: unread))
    }
  }

  /// How much was written since the start.
  package var counts: Counts { done.withLock { $0 } }

  /// Carries out a write after those of the same client, and calls `answer` with what it came to; returns false if the
  /// writer is closed.
  package func enqueue(
    _ write: Write, _ share: WriteMemory.Share, note: @escaping WriteQueue.Note = { _ in },
    answer: @escaping WriteQueue.Answer
  ) -> Bool {
    let job = Job(write: write, share: share, start: MonotonicTime.now, note: note, answer: answer)
    if let link, !link.isUp {
      share.giveBack()
      answer(.failure(StoreError.away(reason: "")))
      return true
    }
    // Its table may be locked, for which others' writes must not wait.
    if catalog.shown(write.collection)?.info.isAttached == true {
      share.giveBack()
      answer(.failure(StoreError.attached(collection: write.collection)))
      return true
    }
    let (isAccepted, isFirst, isLast) = waiting.withLock { waiting in
      guard !waiting.isClosed else { return (false, false, false) }
      waiting.jobs.append(job)
      defer { waiting.isScheduled = true }
      return (true, !waiting.isScheduled, waiting.endsWait())
    }
    if isLast { gathered.signal() }
    if isFirst { queue.async { self.work() } }
    return isAccepted
  }

  /// Waits until all writes are done, or refuses those that haven't begun, then closes the store.
  package func close(refusing: Bool = false) {
    let refused = waiting.withLock { waiting -> [Job] in
      waiting.isClosed = true
      return refusing ? waiting.jobs.takeAll() : []
    }
    for job in refused { job.answer(.failure(CollectionsError.stopping)) }
    queue.sync {
      work()
      stopSweeping()
      stopFollowing()
      finishIndexFiles()
      store.close()
    }
  }

  /// Carries out a write and waits for its outcome. To be called on a thread for long work.
  ///
  /// - Throws: the error of the write, or ``CollectionsError/stopping``.
  package func perform(_ write: Write, _ share: WriteMemory.Share) throws -> WriteOutcome {
    let outcome = Locked<Result<WriteOutcome, any Error>>(.failure(CollectionsError.stopping))
    let end = DispatchSemaphore(value: 0)
    let isAccepted = enqueue(write, share) { result in
      outcome.withLock { $0 = result }
      end.signal()
    }
    if isAccepted { Cancellation.pause { end.wait() } }
    return try outcome.withLock { $0 }.get()
  }

  /// Looks whether the store's log can be copied, which is told when that changes.
  func noticeLog() {
    let fault = store.logFault
    guard fault.map(ExactText.init) != logFault else { return }
    logFault = fault.map(ExactText.init)
    indexFiles.report(.log(fault: fault))
  }

  /// Looks whether the store is where it was, without which nothing can be written.
  func noticePlace() {
    guard catalog.setDetached(!store.isInPlace) else { return }
    indexFiles.report(.place(isLost: !store.isInPlace))
  }

  // MARK: On the queue

  /// Carries out the waiting writes, and those that come meanwhile.
  private func work() {
    home.check()
    while true {
      gather()
      var group = waiting.withLock { $0.takeGroup() }
      if group.isEmpty { return }
      while !group.isEmpty {
        let start = MonotonicTime.now
        let count = carryOut(group)
        group = group.dropFirst(count)
        guard shared != nil else { continue }
        let others = group.count + waitingWrites
        gathering.ended(count, waiting: others, from: start, to: MonotonicTime.now)
      }
      sweepIfDue()
      clearDropped()
    }
  }

  /// Waits for writes that are about to come.
  private func gather() {
    let now = MonotonicTime.now
    guard let wanted = gathering.count(at: now) else { return }
    let before = waiting.withLock { waiting in
      let count = waiting.jobs.count
      if count > 0, count < wanted, !waiting.isClosed { waiting.wanted = wanted }
      return waiting.wanted == nil ? nil : count
    }
    guard let before else { return }
    gathered.wait(atMost: Double(gathering.deadline - now) / 1e9)
    let after = waiting.withLock { waiting in
      waiting.wanted = nil
      return waiting.jobs.count
    }
    gathered.wait(atMost: 0)
    gathering.waited(from: before, to: after)
  }

  /// How often a transaction is tried that conflicts with those of others.
  private static let mostAttempts = 4

  /// Carries out the first of some writes in one transaction, answers them, and returns their number.
  ///
  /// - Parameter mayMakeRoom: whether deletions that the disk is too full for are tried again.
  private func carryOut(
    _ jobs: ArraySlice<Job>, mayMakeRoom: Bool = true, attempts: Int = mostAttempts
  ) -> Int {
    home.check()
    let group = WriteGroup(store, catalog, limits, isShared: jobs.count > 1)
    var results: [Result<WriteOutcome, any Error>] = []
    let start = MonotonicTime.now
    var applied = start
    do {
      let ids = Set(jobs.map(\.write.collection))
      // What takes long to be sent isn't sent in vain.
      let isShort = jobs.reduce(0) { $0 + $1.write.bytes } <= WriteQueue.maximumGroupBytes
      let isTentative = isShort && attempts == CollectionWriter.mostAttempts
      try store.transaction(on: ids, isTentative: isTentative) {
        for job in jobs where group.byteCount < WriteQueue.maximumGroupBytes {
          // An error of a single write ends the transaction.
          guard group.isShared else {
            results.append(.success(try group.perform(job.write)))
            continue
          }
          let result = Result { try group.part { try group.perform(job.write) } }
          // Then the whole transaction is begun again.
          if case .failure(StoreError.conflict(let reason)) = result {
            throw StoreError.conflict(reason: reason)
          }
          results.append(result)
        }
        try group.prepare()
        applied = MonotonicTime.now
      }
    } catch is RecordArena.Full where jobs.count > 1 {
      // Perhaps there is room for some of them.
      for job in jobs.prefix(results.count) { _ = carryOut([job]) }
      return results.count
    } catch StoreError.conflict where attempts > 1 {
      return carryOut(jobs, mayMakeRoom: mayMakeRoom, attempts: attempts - 1)
    } catch {
      // Without results, the transaction couldn't begin, so all have failed.
      let failed = results.isEmpty ? jobs : jobs.prefix(results.count)
      noticePlace()
      let isFull = if case StoreError.full = error { mayMakeRoom } else { false }
      let deletions = failed.filter { isFull && $0.write.makesRoom }
      if !deletions.isEmpty {
        store.makingRoom {
          for job in deletions { _ = carryOut([job], mayMakeRoom: false) }
        }
      }
      for job in failed where !isFull || !job.write.makesRoom {
        job.share.giveBack()
        let end = MonotonicTime.now
        note(job, start, applied > start ? applied : end, end, failed.count)
        job.answer(.failure(error))
      }
      guard shared != nil, MonotonicTime.now - start >= CollectionWriter.patience else {
        return failed.count
      }
      refuse(jobs.dropFirst(failed.count) + waiting.withLock { $0.jobs.takeAll() })
      return jobs.count
    }
    let end = MonotonicTime.now
    group.publish()
    done.withLock { done in
      for job in jobs.prefix(results.count) { done.waited.add(start - min(job.start, start)) }
      guard group.changeCount > 0 else { return }
      done.writes += group.changeCount
      done.commits += 1
      done.groups.add(UInt(results.count))
      done.applied.add(applied - start)
      done.committed.add(end - applied)
    }
    group.end()
    for (job, result) in zip(jobs, results) {
      // Before the answer, after which the client may send the next write.
      job.share.giveBack()
      note(job, start, applied, end, results.count)
      job.answer(result)
    }
    return results.count
  }

  /// The time after which a store that others share is taken to be stuck, as by a lock on a table, in nanoseconds. Its own
  /// limit for a lock is four seconds.
  private static let patience: UInt = 4_000_000_000

  /// Refuses writes that haven't begun, each of which would otherwise wait for as long as others before it, whose error is
  /// told already.
  private func refuse(_ jobs: ArraySlice<Job>) {
    for job in jobs {
      job.share.giveBack()
      job.answer(.failure(StoreError.away(reason: "")))
    }
  }

  /// Tells the times of a write.
  private func note(_ job: Job, _ start: UInt, _ applied: UInt, _ end: UInt, _ group: Int) {
    job.note((start - min(job.start, start), applied - start, end - applied, group))
  }
}
