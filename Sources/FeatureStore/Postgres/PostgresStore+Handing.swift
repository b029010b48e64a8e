import ClusterCore

/// Handing over the changes of other instances.
extension PostgresStore {
  /// The collections that can't be brought up to date for now, each of which is tried again after a pause. Others are
  /// followed meanwhile.
  struct Backlog {
    private struct Retry {
      let id: String
      var backoff = Backoff(from: 1_000_000_000, to: 30_000_000_000)
      /// Whether there is no memory for it.
      var isFull = false
    }

    private var retries: [Int64: Retry] = [:]

    /// Whether everything is up to date.
    var isEmpty: Bool { retries.isEmpty }

    /// The ids of those for which there is no memory, in order.
    var full: [String] { retries.values.filter(\.isFull).map(\.id).sorted() }

    /// The ids of those whose keys are others.
    func ids(besides keys: Set<Int64>) -> [String] {
      retries.filter { !keys.contains($0.key) }.map(\.value.id)
    }

    /// Whether a collection may be tried.
    func isDue(_ key: Int64, at now: UInt) -> Bool {
      retries[key]?.backoff.isDue(at: now) ?? true
    }

    fileprivate mutating func failed(_ info: CollectionInfo, isFull: Bool) {
      var retry = retries[info.key] ?? Retry(id: info.id)
      retry.isFull = isFull
      retry.backoff.fail()
      retries[info.key] = retry
    }

    fileprivate mutating func done(_ key: Int64) { retries[key] = nil }

    fileprivate mutating func done(id: String) {
      retries = retries.filter { !$0.value.id.isSame(as: id) }
    }
  }

  /// Hands over later states of collections. Returns the first error of one that couldn't be shown, which others aren't
  /// held up by.
  func hand(
    _ infos: [CollectionInfo], _ changes: [Int64: ChangedRows]
  ) throws(StoreError) -> StoreError? {
    var failure: StoreError?
    for info in infos {
      do throws(StoreError) { try hand(info, changes[info.key]) } catch {
        couldNotShow(info, error)
        failure = failure ?? error
      }
    }
    return failure
  }

  /// Hands over a state of a collection, with the changes that lead to it from the shown one; nil if
  /// there are none.
  func hand(_ info: CollectionInfo, _ rows: ChangedRows?) throws(StoreError) {
    let old = shown[info.id]
    if let old, old.isSameState(as: info) { return }
    if let old, old.key != info.key { try hand(.dropped(id: old.id)) }
    if let rows {
      try hand(.changed(info, rows.changes(of: info.key), rows.steps))
    } else {
      try hand(.unknown(info))
    }
  }

  func hand(_ change: StoreChange) throws(StoreError) {
    do { try onChange(change) } catch { throw StoreError(error, showing: change.id) }
    switch change {
    case .changed(let info, let changes, _):
      link.hasChanged()
      isShown(info)
      cache?.hasChanged(info.key, count: changes.reduce(0) { $0 + $1.count })
    case .dropped(let id):
      shown[id] = nil
      mayHaveDropped = true
      if !backlog.isEmpty {
        backlog.done(id: id)
        link.lacksMemory(for: backlog.full)
      }
    case .unknown, .settled: break
    }
  }

  /// Takes note of the shown state of a collection.
  public func isShown(_ info: CollectionInfo) {
    if shown[info.id]?.key != info.key { settling.add(info.key) }
    shown[info.id] = info
    guard !backlog.isEmpty else { return }
    backlog.done(info.key)
    link.lacksMemory(for: backlog.full)
  }

  /// Takes note that a collection can't be shown as it is. It is tried again.
  public func couldNotShow(_ info: CollectionInfo, _ error: any Error) {
    let error = StoreError(error, showing: info.id)
    if case .away = error { return }
    backlog.failed(info, isFull: error == .noMemory(collection: info.id))
    link.lacksMemory(for: backlog.full)
  }
}

extension StoreError {
  /// The error of a collection that can't be shown as others have left it.
  fileprivate init(_ error: any Error, showing id: String) {
    switch error {
    case let error as StoreError: self = error
    case is RecordArena.Full: self = .noMemory(collection: id)
    default: self = .io(reason: "\(error)")
    }
  }
}
