import Glibc
import Threading

/// The end of a transaction, and its outcome where the connection was lost in that moment.
extension PostgresStore {
  /// How long a write waits to learn whether it was committed when the connection was lost in that, in nanoseconds.
  private static let patience: UInt = 10_000_000_000

  /// Commits the open transaction. When it returns, its changes are durable; when it throws, there are none, but for
  /// ``StoreError/uncertain(reason:)``.
  func commit() throws(StoreError) {
    let draft = try opened()
    guard !draft.isEmpty else { return undo() }
    var infos = draft.infos
    var mayBeCommitted = false
    // The collections by the numbers of the queries that note their changes.
    var notes: [Int: String] = [:]  // Characters: ids of collections, which are of ASCII
    do {
      let answers = try noting { (connection) throws(StoreError) in
        try connection.run { (send) throws(StoreError) in
          var count = 0
          func counted(_ query: PostgresQuery) throws(StoreError) {
            try send(query)
            count += 1
          }
          if let assumed = draft.assumed { try assume(assumed, draft.token, counted) }
          try self.send(draft, &infos, counted) { id in notes[count - 1] = id }
          mayBeCommitted = true
          try counted(PostgresQueries.commit.with())
        }
      }
      for (number, id) in notes {
        guard answers[number].count > 0, let time = answers[number][0].integer(0) else { continue }
        infos[id]?.time = time
      }
    } catch {
      // An error after which the connection works is the server's, and ends the transaction.
      guard held == nil, mayBeCommitted else { throw error }
      self.draft = nil
      let times = try findOut(draft, because: error)
      for (id, info) in infos { infos[id]?.time = times[info.key] ?? info.time }
    }
    self.draft = nil
    for info in draft.dropped {
      shown[info.id] = nil
      mayHaveDropped = true
    }
    for info in infos.values { isShown(info) }
    for operation in draft.operations { cache?.hasChanged(operation.key, count: operation.count) }
  }

  private func send(
    // Characters: ids of collections, which are of ASCII
    _ draft: PostgresDraft, _ infos: inout [String: CollectionInfo],
    _ send: PostgresConnection.Sender, noted: (String) -> Void
  ) throws(StoreError) {
    for info in draft.dropped {
      try send(PostgresQueries.raiseFloor.with { $0.add(info.version) })
      for statement in [
        PostgresQueries.drop, PostgresQueries.noteDropped, PostgresQueries.dropChanges,
      ] {
        try send(statement.with { $0.add(info.key) })
      }
      try send(
        PostgresQueries.markDrop.with {
          $0.add(info.key)
          $0.add(clock.now * 1000)
          $0.add(draft.token)
        })
    }
    for key in draft.abandoned { try send(PostgresQueries.drop.with { $0.add(key) }) }
    for (id, info) in draft.infos.sorted(by: { $0.key < $1.key }) {
      let operations = draft.operations.filter { $0.key == info.key }
      var rows = PostgresRows(of: info.key, hasOneOperation: operations.count == 1)
      for operation in operations { try rows.add(operation, send) }
      infos[id] = try rows.end(leadingTo: info, send)
      noted(id)
    }
    try notify((draft.infos.values.map(\.key) + draft.dropped.map(\.key)).sorted(), send)
  }

  /// Tells other instances that collections have changed.
  private func notify(_ keys: [Int64], _ send: PostgresConnection.Sender) throws(StoreError) {
    let note = keys.map { String($0) }.joined(separator: ",")
    try send(
      PostgresQueries.notify.with {
        $0.add(channel)
        $0.add(note.utf8.count <= PostgresNotices.longest ? note : "*")
      })
  }

  /// Begins a transaction on collections that fails unless they are as they are taken to be.
  private func assume(
    _ infos: [CollectionInfo], _ token: Int64, _ send: PostgresConnection.Sender
  ) throws(StoreError) {
    try send(PostgresQueries.begin.with())
    try send(
      PostgresQueries.assume.with {
        $0.add(infos.map(\.id))
        $0.add(infos.map(\.key))
        $0.add(infos.map(\.version))
        $0.add(infos.map(\.token))
        $0.add(token)
      })
  }

  // MARK: The outcome of a commit

  /// Finds out whether a transaction was committed whose connection was lost while it ended: the times of its changes, by
  /// the keys of their collections. Throws if it wasn't.
  private func findOut(
    _ draft: PostgresDraft, because error: StoreError
  ) throws(StoreError) -> [Int64: Int64] {
    let deadline = MonotonicTime.now + PostgresStore.patience
    // Nothing of a tentative transaction need have reached the database before its end was lost.
    var mayCome = draft.assumed != nil
    while true {
      let now = MonotonicTime.now
      guard now < deadline else { throw .uncertain(reason: "\(error)") }
      let seconds = Double(deadline - now) / 1e9
      // A query that fails, as the database is still away, is repeated.
      if mayCome {
        guard let isPrevented = try? prevent(draft, within: seconds) else {
          usleep(50_000)
          continue
        }
        if isPrevented { throw error }
        mayCome = false
        continue
      }
      let outcome = try? outcome(of: draft, within: seconds)
      switch outcome ?? nil {
      case .committed(let times)?: return times
      case .undone?: throw error
      case .untold?: throw .uncertain(reason: "\(error)")
      case nil: usleep(50_000)
      }
    }
  }

  /// Sees to it that a tentative transaction fails if it reaches the database from now on: makes a version without a change
  /// of one of its collections. Returns false if they aren't as it takes them to be, as it has been committed, or can't be.
  private func prevent(
    _ draft: PostgresDraft, within seconds: Double
  ) throws(StoreError) -> Bool {
    guard let assumed = draft.assumed, let first = assumed.first else { return false }
    var next = first.changed(to: first.version + 1)
    next.token = Int64.random(in: .min ... .max)
    next.time = max(first.time, settling.time) + 1
    return try noting { (connection) throws(StoreError) in
      do throws(StoreError) {
        try connection.run(within: seconds) { (send) throws(StoreError) in
          try assume(assumed, next.token, send)
          var rows = PostgresRows(of: next.key, hasOneOperation: true)
          _ = try rows.end(leadingTo: next, send)
          try notify([next.key], send)
          try send(PostgresQueries.commit.with())
        }
        return true
      } catch {
        connection.rollBack()
        guard error == .conflict(reason: PostgresQueries.othersWereFaster) else { throw error }
        return false
      }
    }
  }

  private enum Outcome {
    case undone
    /// Committed, with the times of its changes by the keys of collections.
    case committed([Int64: Int64])
    /// Nobody can tell any more, as others have dropped the collections since.
    case untold
  }

  /// The outcome of a transaction; nil if it may be under way.
  ///
  /// Only the notes of changes tell that: a transaction's number may be given again after a crash. Its lock tells that it
  /// has ended, as it was taken before the transaction wrote anything.
  private func outcome(
    of draft: PostgresDraft, within seconds: Double
  ) throws(StoreError) -> Outcome? {
    let drops = draft.dropped.map(\.key)
    let infos = Array(draft.infos.values)
    let keys = drops + infos.map(\.key)
    return try noting { (connection) throws(StoreError) -> Outcome? in
      // If the last of these fails, all do: an answer that isn't durable is none.
      let answers = try connection.run(
        [
          PostgresQueries.begin.with(),
          PostgresQueries.hasEnded.with { $0.add(draft.token) },
          PostgresQueries.proof.with {
            $0.add(infos.map(\.key) + keys.map { _ in DropMark.collection })
            $0.add(infos.map(\.version) + keys)
          },
          PostgresQueries.find.with { $0.add(keys) },
          PostgresQueries.commit.with(),
        ], within: seconds)
      guard answers[1].isTrue else { return nil }
      let notes = (0..<answers[2].count).map { answers[2][$0] }
      let own = notes.filter { $0.integer(1) == draft.token }
      if !own.isEmpty {
        let times = own.map { ($0.integer(0) ?? 0, $0.integer(3) ?? 0) }
        return .committed(Dictionary(times, uniquingKeysWith: max))
      }
      // It changes all of its collections or none, so one of them is enough to tell that it hasn't.
      let there = try CollectionInfo.all(answers[3], of: configuration.address)
      let noted = Set(notes.compactMap { $0.integer(0) })
      let droppedByOthers = Set(
        notes.compactMap { $0.integer(0) == DropMark.collection ? $0.integer(2) : nil })
      let created = Set(draft.created.values.map(\.key))
      let isUnchanged =
        there.contains { drops.contains($0.key) } || !droppedByOthers.isDisjoint(with: drops)
      let isUnwritten = infos.contains { info in
        guard let now = there.first(where: { $0.key == info.key }) else {
          return created.contains(info.key) && !droppedByOthers.contains(info.key)
        }
        // A note that is missing may have been forgotten.
        return noted.contains(info.key) || now.trimmed < info.version
      }
      return isUnchanged || isUnwritten ? .undone : .untold
    }
  }
}
