import ClusterCore
import Glibc
import Threading

extension PostgresStore {
  /// Runs `body` in a transaction on collections, after handing over other instances' changes of them. A tentative one
  /// takes a single round trip where they are in the state that is shown, and something is changed.
  ///
  /// - Throws: the error of `body`, or ``StoreError`` if the transaction can't be begun or committed.
  public func transaction<R>(
    // Characters: ids of collections, which are of ASCII
    on ids: Set<String>, isTentative: Bool, _ body: () throws -> R
  ) throws -> R {
    if isTentative, let assumed = assumption(of: ids) {
      return try transaction(assuming: assumed, body)
    }
    guard let result = try transaction(on: ids, asSweeper: false, body) else {
      throw StoreError.io(reason: "the transaction didn't begin")
    }
    return result
  }

  // Characters: ids of collections, which are of ASCII
  /// The shown states of collections, if a transaction may take them for granted.
  private func assumption(of ids: Set<String>) -> [CollectionInfo]? {
    guard held != nil, assuming.isDue(at: MonotonicTime.now) else { return nil }
    let infos = ids.sorted().compactMap { shown[$0] }
    return infos.count == ids.count && !infos.contains { $0.isAttached } ? infos : nil
  }

  /// Runs `body` without a look at the database. A refusal may be due to a state that is no longer, so any error is a
  /// conflict, as is a transaction that changes nothing.
  private func transaction<R>(
    assuming infos: [CollectionInfo], _ body: () throws -> R
  ) throws -> R {
    guard draft == nil else { throw StoreError.io(reason: "a transaction is under way") }
    draft = PostgresDraft(assumed: infos)
    let result: R
    do { result = try body() } catch {
      draft = nil
      throw StoreError.conflict(reason: "\(error)")
    }
    guard draft?.isEmpty == false else {
      draft = nil
      throw StoreError.conflict(reason: "nothing is changed")
    }
    do { try commit() } catch {
      undo()
      if case .conflict = error { assuming.fail() }
      throw error
    }
    assuming.succeed()
    return result
  }

  // Characters: ids of collections, which are of ASCII
  /// Runs `body` in a transaction, unless another instance is sweeping; returns whether it has.
  ///
  /// - Throws: the error of `body`, or ``StoreError`` if the transaction can't be begun or committed.
  public func sweep(on ids: Set<String>, _ body: () throws -> Void) throws -> Bool {
    try transaction(on: ids, asSweeper: true, body) != nil
  }

  private func transaction<R>(
    // Characters: ids of collections, which are of ASCII
    on ids: Set<String>, asSweeper: Bool, _ body: () throws -> R
  ) throws -> R? {
    guard draft == nil else { throw StoreError.io(reason: "a transaction is under way") }
    let begun = PostgresDraft()
    do {
      guard try lock(ids, as: asSweeper, token: begun.token) else {
        undo()
        return nil
      }
      draft = begun
      let result = try body()
      try commit()
      return result
    } catch {
      undo()
      throw error
    }
  }

  /// Ends the open transaction, if there is one, without its changes.
  func undo() {
    draft = nil
    guard held != nil else { return }
    _ = try? noting { (connection) throws(StoreError) in
      try connection.run([PostgresQueries.rollback.with()])
    }
  }

  /// Runs a part of a transaction. If it throws, its writes are undone, and nothing else.
  ///
  /// - Throws: the error of `body`, or ``StoreError`` if the connection is lost.
  public func savepoint<R>(_ body: () throws -> R) throws -> R {
    let before = draft
    do { return try body() } catch {
      // Collections that it has created are in the database already, and a query that has failed is the end of all.
      let (created, failure) = (draft?.created ?? [:], draft?.failure)
      draft = before
      draft?.created = created
      draft?.failure = failure
      throw error
    }
  }

  /// A collection that a transaction has changed, with the time that the change got when it was committed.
  public func committed(_ info: CollectionInfo) -> CollectionInfo { shown[info.id] ?? info }

  // MARK: Changes

  /// The open transaction's changes so far.
  func opened() throws(StoreError) -> PostgresDraft {
    guard let draft else { throw .io(reason: "no transaction is under way") }
    if let failure = draft.failure { throw failure }
    return draft
  }

  /// Runs queries within the open transaction.
  func runWithin(
    _ queries: [PostgresQuery], within seconds: Double = 10, sinks: [Int: any RowSink] = [:]
  ) throws(StoreError) -> [PostgresResult] {
    let draft = try opened()
    if draft.assumed != nil {
      let failure = StoreError.conflict(reason: "the collections aren't locked")
      self.draft?.failure = failure
      throw failure
    }
    do throws(StoreError) {
      return try noting { (connection) throws(StoreError) in
        try connection.run(queries, within: seconds, sinks: sinks)
      }
    } catch {
      self.draft?.failure = error
      throw error
    }
  }

  /// A collection as the transaction has left it so far.
  func find(_ id: String) throws(StoreError) -> CollectionInfo? {
    let draft = try opened()
    if let info = draft.infos[id] { return info }
    guard let info = shown[id], !draft.dropped.contains(where: { $0.key == info.key }) else {
      return nil
    }
    guard info.source == nil else { throw .attached(collection: id) }
    return info
  }

  /// A collection at its next version, created if there is none.
  private func collectionToWrite(
    _ id: String
  ) throws(StoreError) -> (info: CollectionInfo, created: Bool) {
    if let info = try find(id) { return (info.changed(to: info.version + 1), false) }
    let (key, version) = try created(id)
    return (
      CollectionInfo(
        key: key, id: id, title: nil, description: nil, version: version + 1, largestInteger: 0,
        featureCount: 0, ttl: nil, temporal: nil, hasChecksums: false), true
    )
  }

  /// Creates a collection in the database; returns its key and the version before its first.
  private func created(_ id: String) throws(StoreError) -> (key: Int64, version: Int64) {
    if let created = draft?.created[id] { return created }
    let found = try runWithin([PostgresQueries.create.with { $0.add(id) }])[0]
    guard found.count == 1, let key = found[0].integer(0), let version = found[0].integer(1) else {
      throw .conflict(reason: "another instance has created the collection \(id)")
    }
    draft?.created[id] = (key, version)
    return (key, version)
  }

  func save(_ info: CollectionInfo, _ operation: PostgresDraft.Operation? = nil)
    -> CollectionInfo
  {
    var info = info
    info.token = draft?.token ?? 0
    // The least that it may be: never back, nor before a time that was settled by another clock.
    info.time = max(info.time, settling.time) + 1
    draft?.infos[info.id] = info
    if let operation { draft?.operations.append(operation) }
    return info
  }

  /// Creates a collection, or changes its description, in the open transaction.
  ///
  /// - Throws: ``StoreError`` if no transaction is open, or the collection is attached to a table.
  public func putCollection(
    _ id: String, title: ValueUpdate<String>, description: ValueUpdate<String>,
    ttl: ValueUpdate<Int64>, temporal: ValueUpdate<TemporalProperties>
  ) throws(StoreError) -> (info: CollectionInfo, created: Bool) {
    var (info, created) = try collectionToWrite(id)
    info.title = title.applied(to: info.title)
    info.description = description.applied(to: info.description)
    info.ttl = ttl.applied(to: info.ttl)
    info.temporal = temporal.applied(to: info.temporal)
    return (save(info), created)
  }

  /// Drops a collection in the open transaction. Returns the version of that, or nil if there is no such collection.
  ///
  /// - Throws: ``StoreError`` if no transaction is open, or the collection is attached to a table.
  public func dropCollection(_ id: String) throws(StoreError) -> Int64? {
    guard let info = try find(id) else { return nil }
    let version = info.version + 1
    draft?.infos[id] = nil
    draft?.operations.removeAll { $0.key == info.key }
    draft?.dropped.append(info.changed(to: version))
    return version
  }

  /// Stores the features of a batch in the open transaction.
  ///
  /// - Throws: ``StoreError`` if no transaction is open, the collection is attached to a table, or no integer id is
  ///   left.
  public func upsert(
    _ batch: inout FeatureBatch, into id: String, stored: (FeatureID) -> StoredState
  ) throws(StoreError) -> UpsertResult {
    var (info, created) = try collectionToWrite(id)
    var settled = batch
    let order =
      settled.withRecords { WriteOrder($0) } ?? WriteOrder()
    let first = try info.reserveIDs(order.unassigned.count, above: settled.largestIntegerID ?? 0)
    settled.applyDefaultExpiry(info.expiryOfWrites(at: clock.now))
    var (inserted, updated) = (order.unassigned.count, order.overwritten)
    info.featureCount += order.unassigned.count
    for index in order.indices {
      switch stored(settled.withRecord(at: index) { $0.id }) {
      case .absent: (inserted, info.featureCount) = (inserted + 1, info.featureCount + 1)
      case .expired: inserted += 1
      case .living: updated += 1
      }
    }
    for (offset, index) in order.unassigned.enumerated() {
      settled.assignID(first + Int64(offset), at: index)
    }
    batch = settled
    info = save(info, settled.isEmpty ? nil : .upsert(key: info.key, settled))
    return UpsertResult(
      inserted: inserted, updated: updated, info: info, createdCollection: created)
  }

  /// Deletes features in the open transaction.
  ///
  /// - Throws: ``StoreError`` if no transaction is open, or the collection is attached to a table.
  public func delete(
    _ features: [FeatureID], from id: String, stored: (FeatureID) -> StoredState
  ) throws(StoreError) -> CollectionInfo? {
    guard let info = try find(id) else { return nil }
    let living = Set(features).filter { if case .living = stored($0) { true } else { false } }
    guard !living.isEmpty else { return nil }
    return remove(Array(living), from: info)
  }

  /// Deletes features that have expired in the open transaction: the collection after that.
  ///
  /// - Throws: ``StoreError`` if no transaction is open.
  public func expire(_ features: [FeatureID], from id: String) throws(StoreError) -> CollectionInfo?
  {
    guard let info = try find(id), !features.isEmpty else { return nil }
    return remove(features, from: info)
  }

  private func remove(_ features: [FeatureID], from info: CollectionInfo) -> CollectionInfo {
    var info = info.changed(to: info.version + 1)
    info.featureCount = max(info.featureCount - features.count, 0)
    return save(info, .delete(key: info.key, features))
  }

  // MARK: Cleaning up

  /// Does nothing: ``expire(_:from:)`` deletes expired features.
  ///
  /// - Throws: nothing.
  public func removeExpired(
    from collections: [Int64], at now: Int64, atMost limit: Int
  ) throws(StoreError) -> Bool { true }

  /// Does nothing: every version is written.
  ///
  /// - Throws: nothing.
  public func reserveVersions() throws(StoreError) {}

  /// Deletes some rows of collections that were dropped, unless another instance is doing that.
  ///
  /// - Throws: ``StoreError`` if the connection is lost.
  public func clearDropped(atMost limit: Int) throws(StoreError) -> Bool {
    guard mayHaveDropped, draft == nil, held != nil else { return false }
    return try noting { (connection) throws(StoreError) in
      do throws(StoreError) {
        let found = try connection.run([
          PostgresQueries.begin.with(), PostgresQueries.anyDropped.with(),
        ])[1]
        guard found.count > 0, let key = found[0].integer(0) else {
          mayHaveDropped = false
          try connection.run([PostgresQueries.rollback.with()])
          return false
        }
        let cleared = try connection.run([
          PostgresQueries.clear.with {
            $0.add(key)
            $0.add(Int64(limit))
          }
        ])[0]
        var queries: [PostgresQuery] = []
        if (cleared.count > 0 ? cleared[0].integer(0) ?? 0 : 0) < Int64(limit) {
          queries.append(PostgresQueries.forgetDropped.with { $0.add(key) })
        }
        try connection.run(queries + [PostgresQueries.commit.with()])
        return true
      } catch {
        connection.rollBack()
        throw error
      }
    }
  }

  /// The time for which changes are noted, in microseconds: an instance, or its index file, may be that old and
  /// still need not load everything.
  private static let memory: Int64 = 3_600_000_000

  /// Forgets, now and then, some of the changes that are older than an hour.
  ///
  /// - Throws: ``StoreError`` if the connection is lost.
  public func trimChanges(atMost count: Int) throws(StoreError) -> Bool {
    guard draft == nil, held != nil, MonotonicTime.now >= nextTrim else { return false }
    nextTrim = MonotonicTime.now + 10_000_000_000
    let forgotten = try noting { (connection) throws(StoreError) in
      try connection.run([
        PostgresQueries.trim.with {
          $0.add(clock.now * 1000 - PostgresStore.memory)
          $0.add(Int64(count))
        }
      ])
    }
    let isMore = forgotten[0].count > 0
    if isMore { nextTrim = MonotonicTime.now + 500_000_000 }
    return isMore
  }
}
