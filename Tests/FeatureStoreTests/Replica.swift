import ClusterCore
import Glibc
import TestSupport
import Testing

@testable import FeatureStore

/// A store of a shared database, and what it has handed over.
final class Replica {
  static let url = getenv("PINCLUSTER_TEST_POSTGRES").map { String(cString: $0) }

  let store: PostgresStore
  let directory: TemporaryDirectory
  private(set) var features: [String: [FeatureID: Plain]] = [:]
  private(set) var infos: [String: CollectionInfo] = [:]
  private(set) var loaded: [String: FeatureIndex] = [:]
  /// The number of changes since the index file that was read, by collection.
  private(set) var changes: [String: Int] = [:]
  /// The steps of changes, and the last time that is settled, by collection.
  private(set) var (steps, settled) = ([String: [StoreChange.Step]](), [String: Int64]())
  /// The collections that were told to be gone.
  private(set) var dropped: [String] = []
  /// How often a collection was loaded.
  private(set) var loads = 0

  init(_ schema: String, directory: TemporaryDirectory? = nil, through relay: PostgresRelay? = nil)
    throws
  {
    let directory = try directory ?? TemporaryDirectory()
    self.directory = directory
    var configuration = PostgresStore.Configuration(
      address: try PostgresAddress(relay?.url ?? Replica.url ?? ""), schema: schema,
      directory: directory.path)
    (configuration.many, configuration.rangeSize) = (2000, 500)
    store = try PostgresStore(configuration)
    for info in try store.collections() { try load(info) }
    store.onChange = { [unowned self] change in try take(change) }
  }

  private func load(_ info: CollectionInfo) throws {
    let loading = try store.loadIndex(of: info)
    loads += 1
    loaded[info.id] = loading.index
    changes[info.id] = loading.changes
    infos[info.id] = loading.info
    let index = loading.index
    let ordinals = index.serials.indices.flatMap { index.ordinals(ofBlock: $0) }
    features[info.id] = Dictionary(
      uniqueKeysWithValues: ordinals.map { ordinal in
        let plain = Plain(index.record(at: ordinal))
        return (plain.id ?? .int(-1), plain)
      })
  }

  private func take(_ change: StoreChange) throws {
    switch change {
    case .dropped(let id):
      (features[id], infos[id]) = (nil, nil)
      dropped.append(id)
    case .unknown(let info): try load(info)
    case .changed(let info, let changes, let made):
      apply(changes, leadingTo: info)
      steps[info.id, default: []] += made
    case .settled(let id, let second, _): settled[id] = second
    }
  }

  private func apply(_ changes: [FeatureChange], leadingTo info: CollectionInfo) {
    infos[info.id] = info
    var held = features[info.id] ?? [:]
    for change in changes {
      switch change {
      case .remove(let ids): for id in ids { held[id] = nil }
      case .upsert(let batch):
        for plain in batch.plain {
          guard let id = plain.id else { continue }
          held[id] = nil
          held[id] = plain
        }
      }
    }
    features[info.id] = held
  }

  func plain(_ id: String) -> [Plain] {
    (features[id] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
  }

  func follow() throws {
    // Every collection is looked at, whatever has been notified so far.
    store.pollNext()
    try store.follow()
  }

  func state(of feature: FeatureID, in id: String) -> StoredState {
    features[id]?[feature] == nil ? .absent : .living
  }

  /// Runs a transaction as the writer does: first as if nobody else had written anything, and again if that isn't so.
  private func transaction<R>(on id: String, _ body: () throws -> R) throws -> R {
    let before = held
    do { return try store.transaction(on: [id], isTentative: true, body) } catch StoreError.conflict
    {
      held = before
      return try store.transaction(on: [id], body)
    }
  }

  @discardableResult
  func upsert(_ plain: [Plain], into id: String) throws -> UpsertResult {
    try transaction(on: id) { try upsertInTransaction(plain, into: id).result }
  }

  func upsertInTransaction(
    _ plain: [Plain], into id: String
  ) throws -> (result: UpsertResult, stored: [Plain]) {
    var batch = FeatureBatch(plain)
    let result = try store.upsert(&batch, into: id) { state(of: $0, in: id) }
    apply([.upsert(batch)], leadingTo: result.info)
    return (result, batch.plain)
  }

  @discardableResult
  func delete(_ ids: [FeatureID], from id: String) throws -> CollectionInfo? {
    try transaction(on: id) { try deleteInTransaction(ids, from: id) }
  }

  func deleteInTransaction(_ ids: [FeatureID], from id: String) throws -> CollectionInfo? {
    let info = try store.delete(ids, from: id) { state(of: $0, in: id) }
    if let info { apply([.remove(ids)], leadingTo: info) }
    return info
  }

  func putInTransaction(_ id: String, title: ValueUpdate<String>) throws -> CollectionInfo {
    let info = try store.putCollection(
      id, title: title, description: .keep, ttl: .keep, temporal: .keep
    ).info
    apply([], leadingTo: info)
    return info
  }

  func dropInTransaction(_ id: String) throws -> Int64? {
    let version = try store.dropCollection(id)
    (features[id], infos[id]) = (nil, nil)
    return version
  }

  /// What it holds, to go back to where a transaction is undone.
  var held: (features: [String: [FeatureID: Plain]], infos: [String: CollectionInfo]) {
    get { (features, infos) }
    set { (features, infos) = newValue }
  }

  /// Runs a statement of somebody who edits the tables by hand.
  @discardableResult
  func execute(_ sql: String) throws -> PostgresResult {
    try store.connected().run([PostgresStatement.once(sql).with()])[0]
  }

  func dropSchema() { _ = try? execute("DROP SCHEMA \"\(store.configuration.schema)\" CASCADE") }
}
