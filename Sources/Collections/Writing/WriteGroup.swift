import ClusterCore
import FeatureStore
import Threading

/// The writes of one transaction, one after the other. Each sees those before it, and readers see nothing of
/// them before ``publish()``. It is used on the writer's queue.
final class WriteGroup {
  /// A collection that the group has changed.
  private struct Draft {
    /// The collection before; nil if there was none, or if it has been dropped.
    var base: CollectionSnapshot?
    /// Its description now; nil if it has been dropped.
    var info: CollectionInfo?
    var wasDropped = false
    /// The version at which it was dropped.
    var droppedAt: Int64?
    var changes: [FeatureChange] = []
    /// The last change of each feature.
    var latest: [FeatureID: Latest] = [:]
    /// The collection with the changes applied, and the coordinates that they changed; see ``prepare()``.
    var collection: IndexedCollection?
    var invalidated: [Coordinate] = []
  }

  private enum Latest {
    case removed
    /// In the batch of a change.
    case stored(change: Int, record: Int)
  }

  private let store: any FeatureStore
  /// Whether its only write is carried out once, whatever happens.
  private var runsOnce: Bool { !isShared && store.unwrittenVersions != nil }
  private let catalog: Catalog
  /// Whether there are several writes, each of which has to see the earlier ones.
  let isShared: Bool
  /// The number of collections at which no more are created.
  private let maximumCollections: Int
  /// The number of collections that the group has created.
  private var createdCount = 0
  private var drafts: [String: Draft] = [:]  // Characters: ids of collections, which are of ASCII
  /// The size of the features that were written, in bytes.
  private(set) var byteCount = 0
  /// The number of writes that have changed something.
  private(set) var changeCount = 0
  /// The view of the write that is carried out.
  private var view: CatalogView
  /// Why the drafts no longer agree with the transaction; nil as long as they do.
  private var damage: (any Error)?

  init(_ store: any FeatureStore, _ catalog: Catalog, _ limits: WriteLimits, isShared: Bool) {
    self.store = store
    maximumCollections = limits.collections
    self.catalog = catalog
    self.isShared = isShared
    view = CatalogView(catalog)
  }

  /// Carries out a write. It finds and changes only what those can see whose it is, and may run again if the transaction
  /// has to be begun anew.
  ///
  /// - Throws: ``WriteOutcome/Rejection`` if it doesn't find what it concerns as it should be.
  func perform(_ write: Write) throws -> WriteOutcome {
    view = write.view
    // The version of a tenant's view takes longer to find, so the caller does that.
    let tellsVersion = !view.isFiltered
    do {
      let result = try carryOut(write)
      return WriteOutcome(
        result: result, version: tellsVersion ? version(of: write.collection) : nil)
    } catch var rejection as WriteOutcome.Rejection {
      rejection.version = tellsVersion ? version(of: write.collection) : nil
      throw rejection
    }
  }

  private func carryOut(_ write: Write) throws -> WriteOutcome.Result {
    let id = write.collection
    switch write.change {
    case .describe(let updates):
      try write.conditions?.check(catalog[id]?.info)
      let (snapshot, isNew) = try put(id, updates)
      return .described(snapshot, isNew: isNew)
    case .drop:
      try write.conditions?.check(catalog[id]?.info)
      guard try drop(id) else { throw WriteOutcome.Rejection(.noCollection) }
      return .dropped
    case .store(let features):
      try write.conditions?.check(catalog[id]?.info)
      return try store(features, in: id)
    case .put(let feature, var batch, let conditions):
      try check(conditions, on: feature, of: id)
      let result = try upsert(&batch, into: id)
      return storedOne(batch, in: id, isNew: result.inserted > 0)
    case .patch(let patch, let merged, let limit):
      let batch = try patch.store(merged, mergingAtMost: limit, of: id, in: self)
      return storedOne(batch, in: id, isNew: false)
    case .delete(let feature, let conditions):
      try check(conditions, on: feature, of: id)
      guard try delete([feature], from: id) else { throw WriteOutcome.Rejection(.noFeature) }
      return .deleted(1, from: nil)
    case .deleteAll(let deletion, let found):
      return try deleteAll(deletion, found, in: id, on: write.conditions)
    }
  }

  /// The version of a collection after the writes so far; that at which it was dropped if it isn't there any more.
  private func version(of id: String) -> Int64? {
    guard let draft = drafts[id] else { return catalog.version(of: id)?.number }
    return draft.info?.version ?? draft.droppedAt
  }

  /// Carries out one of several writes. If it throws, it alone is undone.
  func part<R>(_ body: () throws -> R) throws -> R {
    let before = changeCount
    do {
      return try store.savepoint(body)
    } catch {
      // A write throws before it changes anything. If the store fails after that, the draft holds the
      // change, so the whole transaction has to fail.
      if changeCount != before { damage = error }
      throw error
    }
  }

  // MARK: Reading

  /// Refuses a write whose conditions the feature doesn't meet as it is.
  private func check(
    _ conditions: WriteConditions, on feature: FeatureID, of id: String
  ) throws {
    guard !conditions.isEmpty else { return }
    let tellsNever = expiresByDefault(id)
    let found: Void? = try withRecord(of: feature, in: id) {
      try conditions.check($0, tellsNever: tellsNever)
    }
    if found == nil { try conditions.check(nil, tellsNever: tellsNever) }
  }

  /// The outcome of a write of one feature.
  private func storedOne(_ batch: FeatureBatch, in id: String, isNew: Bool) -> WriteOutcome.Result {
    .storedOne(expiresByDefault(id) ? batch.declaringNever() : batch, isNew: isNew)
  }

  /// Calls `body` with a feature as it is after the writes so far; nil if there is none that the client may see.
  func withRecord<R>(
    of feature: FeatureID, in id: String, _ body: (FeatureRecord) throws -> R
  ) throws -> R? {
    guard let check = WriteGuard(view.filter) else {
      return try withAnyRecord(of: feature, in: id, body)
    }
    return try withAnyRecord(of: feature, in: id) { record in
      try check.passes(record) ? try body(record) : nil
    } ?? nil
  }

  /// Does the same without looking at the client's view.
  private func withAnyRecord<R>(
    of feature: FeatureID, in id: String, _ body: (FeatureRecord) throws -> R
  ) rethrows -> R? {
    let now = store.clock.now
    return try withStoredRecord(of: feature, in: id) { record in
      record.hasExpired(at: now) ? nil : try body(record)
    } ?? nil
  }

  /// Whether a feature is there after the writes so far.
  private func state(of feature: FeatureID, in id: String) -> StoredState {
    let now = store.clock.now
    return withStoredRecord(of: feature, in: id) { $0.hasExpired(at: now) ? .expired : .living }
      ?? .absent
  }

  /// Calls `body` with the record of a feature after the writes so far, which may have expired; nil if there is none.
  private func withStoredRecord<R>(
    of feature: FeatureID, in id: String, _ body: (FeatureRecord) throws -> R
  ) rethrows -> R? {
    let draft = drafts[id]
    switch draft?.latest[feature] {
    case .removed: return nil
    case .stored(let change, let record):
      guard case .upsert(let batch)? = draft?.changes[change] else { return nil }
      return try batch.withRecord(at: record, body)
    case nil:
      guard let base = draft == nil ? catalog[id] : draft?.base,
        let ordinal = base.index.ordinal(of: feature)
      else { return nil }
      return try withExtendedLifetime(base) { try body(base.index.record(at: ordinal)) }
    }
  }

  /// Whether features of a collection expire that are written without a time of their own.
  func expiresByDefault(_ id: String) -> Bool { defaultExpiry(of: id) != nil }

  /// When features of a collection expire that are written now without a time of their own; nil for never.
  func defaultExpiry(of id: String) -> Int64? {
    (drafts[id].map { $0.info } ?? catalog[id]?.info)?.expiryOfWrites(at: store.clock.now)
  }

  // MARK: Writing

  /// Creates a collection, or changes what is said of it.
  private func put(
    _ id: String, _ updates: Write.CollectionUpdates
  ) throws -> (snapshot: CollectionSnapshot, created: Bool) {
    precondition(!isShared)
    try view.checkSeesAll()
    try checkCount(with: id)
    let (info, created) = try store.putCollection(
      id, title: updates.title, description: updates.description, ttl: updates.ttl,
      temporal: updates.temporal)
    let collection = catalog[id]?.collection ?? IndexedCollection()
    edit(id) { $0.info = info }
    return (CollectionSnapshot(info: info, collection: collection), created)
  }

  /// Drops a collection; false if there is none.
  private func drop(_ id: String) throws -> Bool {
    try view.checkSeesAll()
    guard let version = try store.dropCollection(id) else { return false }
    edit(id) { $0 = Draft(wasDropped: true, droppedAt: version) }
    return true
  }

  /// Stores features, without those that the client may not write if these are to be left out.
  private func store(
    _ features: Write.NewFeatures, in id: String
  ) throws -> WriteOutcome.Result {
    var batch = features.take(isLast: runsOnce)
    var (result, leftOut): (UpsertResult, [Int])
    do {
      (result, leftOut) = (try upsert(&batch, into: id), [])
    } catch CollectionsError.forbiddenFeatures(let numbers) where features.leavesOutForbidden {
      batch.remove(numbers)
      (result, leftOut) = (try upsert(&batch, into: id), numbers)
    }
    let ids = features.tellsIDs ? (0..<batch.count).map { batch.withRecord(at: $0) { $0.id } } : []
    return .stored(
      inserted: result.inserted, updated: result.updated, leftOut: leftOut, ids: ids)
  }

  /// Stores features, and creates the collection if there is none. Features without an id get one in the
  /// batch.
  ///
  /// - Throws: ``CollectionsError/forbiddenFeatures(_:)`` if the client may not write some of them.
  func upsert(_ batch: inout FeatureBatch, into id: String) throws -> UpsertResult {
    try checkCount(with: id)
    if let check = WriteGuard(view.filter) {
      // The next integer would tell how many others there are.
      try batch.assignRandomIDs()
      try check.check(batch) { feature, body in
        _ = withAnyRecord(of: feature, in: id, body)
      }
    }
    let result = try store.upsert(&batch, into: id) { state(of: $0, in: id) }
    byteCount += batch.byteCount
    edit(id) { draft in
      draft.info = result.info
      guard !batch.isEmpty else { return }
      if isShared {
        for record in 0..<batch.count {
          let feature = batch.withRecord(at: record) { $0.id }
          draft.latest[feature] = .stored(change: draft.changes.count, record: record)
        }
      }
      draft.changes.append(.upsert(batch))
    }
    return result
  }

  /// Deletes all features that a description fits.
  ///
  /// - Throws: ``CollectionsError/outdated`` if the writer has no time to tell which these are.
  private func deleteAll(
    _ deletion: FeatureDeletion, _ found: FeatureDeletion.Found?, in id: String,
    on conditions: CollectionConditions?
  ) throws -> WriteOutcome.Result {
    precondition(!isShared)
    // The collection as it was before the group, which is this write.
    let before = view.plan(for: id) == .selectedFromAll ? nil : try view[id]
    let isThere = view.madeVersion(of: id) != nil
    if before != nil || !isThere { try conditions?.check(before?.info) }
    guard let before, let features = try deletion.features(of: before, found) else {
      guard isThere else { throw WriteOutcome.Rejection(.noCollection) }
      throw CollectionsError.outdated
    }
    if !features.isEmpty { _ = try delete(features, from: id) }
    return .deleted(features.count, from: before)
  }

  /// Deletes features; false if none of them is there, or none that the client may see.
  private func delete(_ all: [FeatureID], from id: String) throws -> Bool {
    var features = all
    if let check = WriteGuard(view.filter) {
      features = try check.visible(all) { _ = withAnyRecord(of: $0, in: id, $1) }
      if features.isEmpty { return false }
    }
    let info = try store.delete(features, from: id) { state(of: $0, in: id) }
    guard let info else { return false }
    edit(id) { draft in
      draft.info = info
      if isShared { for feature in features { draft.latest[feature] = .removed } }
      draft.changes.append(.remove(features))
    }
    return true
  }

  /// Deletes features that have expired from a store that others share.
  func expire(_ features: [FeatureID], from id: String, _ store: any SharedStore) throws {
    guard let info = try store.expire(features, from: id) else { return }
    edit(id) { draft in
      draft.info = info
      draft.changes.append(.remove(features))
    }
  }

  /// Takes features as a store that others share holds them now.
  func reread(_ features: [FeatureID], of id: String, _ store: any SharedStore) throws {
    let base = catalog[id]
    let found = try store.reread(features, of: id) { feature, record in
      guard let base, let ordinal = base.index.ordinal(of: feature) else { return record == nil }
      return record.map { base.index.record(at: ordinal).equals($0) } ?? false
    }
    guard let found else { return }
    edit(id) { draft in
      draft.info = found.info
      draft.changes += found.changes
    }
  }

  /// Refuses to create a collection if there are too many. Those who see only a part may not take the last tenth.
  private func checkCount(with id: String) throws(CollectionsError) {
    let exists = drafts[id].map { $0.info != nil } ?? (catalog[id] != nil)
    let most = maximumCollections - (view.isConfined ? maximumCollections / 10 : 0)
    guard !exists, catalog.count + createdCount >= most else { return }
    throw .tooManyCollections
  }

  private func edit(_ id: String, _ body: (inout Draft) -> Void) {
    changeCount += 1
    if drafts[id] == nil {
      let base = catalog[id]
      if base == nil { createdCount += 1 }
      drafts[id] = Draft(base: base)
    }
    body(&drafts[id, default: Draft()])
  }

  // MARK: Committing

  /// Makes the indexes that ``publish()`` is to show. This happens before the transaction is committed, since
  /// what memory can't hold must not be on disk either.
  func prepare() throws {
    if let damage { throw damage }
    for (id, draft) in drafts where draft.info != nil {
      let collection = draft.base?.collection ?? IndexedCollection()
      guard !draft.changes.isEmpty else {
        drafts[id]?.collection = collection
        continue
      }
      let changed = try collection.applying(draft.changes)
      drafts[id]?.collection = changed.collection
      drafts[id]?.invalidated = changed.invalidated
    }
  }

  /// Shows readers the changes that are on disk now.
  func publish() {
    for (id, draft) in drafts {
      guard let drafted = draft.info, let collection = draft.collection else {
        catalog.remove(id, at: draft.droppedAt)
        continue
      }
      let info = store.committed(drafted)
      // A feature that has expired since a write found it isn't in the index any more, but may be on disk.
      let hasRemoval = draft.changes.contains { if case .remove = $0 { true } else { false } }
      if hasRemoval, draft.base?.nextExpiry != nil { catalog.needsSweep([id]) }
      // Other times change which features pass a span of time, wherever they are.
      catalog.publish(
        CollectionSnapshot(
          info: info, collection: collection, after: draft.base, cache: catalog.cache?.another()),
        invalidated: draft.wasDropped || info.temporal != catalog[id]?.info.temporal
          ? nil : draft.invalidated,
        steps: info.time == 0 || draft.changes.isEmpty
          ? []
          : [
            RecentSteps.Step(
              at: info.time, draft.changes, from: draft.base?.index, to: collection.index)
          ])
    }
  }

  /// Frees its memory, after ``publish()``.
  func end() { drafts = [:] }
}
