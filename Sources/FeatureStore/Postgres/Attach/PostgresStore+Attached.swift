import ClusterCore
import Threading

extension PostgresStore {
  /// The state of following tables that aren't the store's. Their triggers note changes in `pending`, where transactions
  /// need not wait for each other. From there an instance moves it to `changes`, as a version, by which all instances
  /// read it.
  ///
  /// One instance looks for that all the time, the others once a second, lest it has stopped.
  struct AttachedFollowing {
    /// The connection that all else is about.
    weak var connection: PostgresConnection?
    /// Whether this instance is the one.
    var isTaker = false
    /// Everything from transactions before this one has been taken over.
    var horizon = "0"
    /// When collections that couldn't be read are tried again.
    var retries: [Int64: Backoff] = [:]
  }

  /// Takes over changes of attached tables; returns the collections of which another version was made.
  func takeOver(isPoll: Bool) throws(StoreError) -> Set<Int64> {
    let known = Set(shown.values.filter(\.isAttached).map(\.key))
    guard !known.isEmpty else { return [] }
    return try noting { (connection) throws(StoreError) in
      if attached.connection !== connection { attached = AttachedFollowing(connection: connection) }
      if isPoll, !attached.isTaker {
        attached.isTaker = try connection.answer(to: AttachedQueries.beTaker.with()).isTrue
      }
      guard isPoll || attached.isTaker else { return [] }
      let found = try connection.answer(
        to: AttachedQueries.pending.with { $0.add(attached.horizon) })
      var isAll = true
      var taken: Set<Int64> = []
      for row in found {
        guard let key = row.integer(1) else { continue }
        guard known.contains(key), let count = try take(key, connection) else {
          isAll = false
          continue
        }
        taken.insert(key)
        if count >= AttachedQueries.most { isAll = false }
      }
      if isAll, let horizon = found.first?.text(0) { attached.horizon = horizon }
      return taken
    }
  }

  /// Takes over changes of a table; returns their number, or nil if another instance does it.
  private func take(_ key: Int64, _ connection: PostgresConnection) throws(StoreError) -> Int64? {
    let token = Int64.random(in: .min ... .max)
    do throws(StoreError) {
      let answers = try connection.run([
        PostgresQueries.begin.with(),
        AttachedQueries.advance.with { $0.add(key, token) },
        PostgresQueries.openSlot.with { $0.add(key) },
        AttachedQueries.take.with {
          $0.add(key, token)
          $0.add(attached.horizon)
        },
      ])
      guard !answers[1].isEmpty, let taken = answers[3].first else {
        try connection.run([PostgresQueries.rollback.with()])
        return nil
      }
      var queries: [PostgresQuery] = []
      if taken.boolean(1) == true {
        queries.append(AttachedQueries.loadAnew.with { $0.add(key, token) })
      }
      queries.append(PostgresQueries.notify.with { $0.add(channel, String(key)) })
      try connection.run(queries + [PostgresQueries.commit.with()])
      return taken.integer(0) ?? 0
    } catch {
      connection.rollBack()
      throw error
    }
  }

  /// Hands over changes of attached collections, each by itself: a failure of one table, such as a lock, must not
  /// hold up others. Throws the first such error when all are done.
  func followAttached(_ infos: [CollectionInfo]) throws(StoreError) {
    var failure: StoreError?
    for info in infos where info.isAttached {
      var backoff = attached.retries[info.key] ?? Backoff(from: 250_000_000, to: 10_000_000_000)
      guard backoff.isDue(at: MonotonicTime.now) else { continue }
      do throws(StoreError) {
        try noting { (connection) throws(StoreError) in
          try follow(info, connection)
        }
        attached.retries[info.key] = nil
      } catch {
        guard held != nil else { throw error }
        if case .noMemory = error { couldNotShow(info, error) }
        // A lock that is held for a moment is nothing to tell of.
        if backoff.pause > 1_000_000_000 { failure = failure ?? error }
        backoff.fail()
        attached.retries[info.key] = backoff
      }
    }
    if let failure { throw failure }
  }

  private func follow(_ info: CollectionInfo, _ connection: PostgresConnection) throws(StoreError) {
    if let old = shown[info.id], old.isSameState(as: info) { return }
    guard start(of: info) != nil else { return try hand(info, nil) }
    do throws(StoreError) {
      let answers = try connection.run([
        PostgresQueries.beginReading.with(), AttachedQueries.hurry.with(),
        PostgresQueries.find.with { $0.add([info.key]) },
      ])
      // It may have come further meanwhile.
      let now = try CollectionInfo.all(answers[2], of: configuration.address)
      let changes = try changes(leadingTo: now, connection)
      try connection.run([PostgresQueries.commit.with()])
      for info in now { try hand(info, changes[info.key]) }
    } catch {
      connection.rollBack()
      throw error
    }
  }

  /// Has features of an attached collection read again, as their time is over.
  ///
  /// - Throws: ``StoreError`` if the database can't be reached.
  public func recheck(_ features: [FeatureID], of info: CollectionInfo) throws(StoreError) {
    try noting { (connection) throws(StoreError) in
      let query = AttachedQueries.recheck.with {
        $0.add(info.key)
        $0.add(ids: features)
      }
      try connection.answer(to: query)
    }
  }
}
