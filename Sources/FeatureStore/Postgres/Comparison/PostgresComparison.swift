import ClusterCore

/// Compares a collection as it is shown with its rows. The server adds up hashes of the rows, in buckets, and so does this
/// program; only rows of buckets that differ are read.
///
/// Nobody waits for that. The rows are those of a snapshot, of a version that may be later than the one shown; features
/// changed in between are left out on both sides. So are those that expire within a second, which an attached table may
/// show no longer.
struct PostgresComparison: Sendable {
  /// The most features that may have changed in between, and the most rows that are read.
  private static let most = 100_000

  let servers: PostgresServers
  let info: CollectionInfo
  let index: FeatureIndex

  /// The other side of the comparison: a transaction that sees one state of the rows.
  private struct Stored {
    let connection: PostgresConnection
    /// The statements about the rows.
    let queries: ComparisonQueries
    /// The features changed since the version that is shown.
    var changed: [FeatureID] = []
    /// The time until which expiring features are left out, in milliseconds since 1970 (UTC).
    var time: Int64 = 0
  }

  /// Compares both. Nil if that can't be told now, as too much has changed.
  func run() throws(StoreError) -> StoreComparison? {
    let connection = try servers.connect()
    try connection.run([ComparisonQueries.session.with()])
    guard let stored = try begin(connection) else { return nil }
    let sums = try sums(of: stored)
    let own = try ownSums(without: stored)
    let buckets = own.differences(from: sums)
    let (features, isComplete) =
      try buckets.isEmpty ? ([], true) : differing(buckets, sums, stored)
    // If sums differ, differing features must have been found.
    if features.isEmpty, !buckets.isEmpty { return nil }
    var counts = (shown: own.total, stored: sums.total)
    if features.isEmpty, !info.isAttached { counts = (index.count, info.featureCount) }
    return StoreComparison(
      info: info, features: features, isComplete: isComplete, counts: counts)
  }

  // MARK: The rows

  private func begin(_ connection: PostgresConnection) throws(StoreError) -> Stored? {
    let answers = try connection.run([
      PostgresQueries.beginReading.with(),
      ComparisonQueries.start.with(),
      PostgresQueries.find.with { $0.add([info.key]) },
      PostgresQueries.tokens.with { $0.add([info.key], [info.version]) },
      ComparisonQueries.changed.with {
        $0.add(info.key, info.version, Int64(PostgresComparison.most + 1))
      },
    ])
    guard let now = try CollectionInfo.all(answers[2], of: servers.address).first,
      now.version >= info.version, now.trimmed <= info.version, now.source == info.source,
      answers[3].count == 1, answers[3][0].integer(1) == info.token,
      answers[4].count <= PostgresComparison.most,
      let time = answers[1].first?.integer(0)
    else { return nil }
    var stored = Stored(
      connection: connection, queries: ComparisonQueries(source: info.source), time: time + 1000)
    for row in answers[4] {
      // A note that stands for all features has no id.
      guard let id = PostgresComparison.id(row) else { return nil }
      stored.changed.append(id)
    }
    return stored
  }

  private static func id(_ row: PostgresResult.Row) -> FeatureID? {
    guard let number = row.integer(0), let name = row.bytes(1) else { return nil }
    return name.isEmpty
      ? try? FeatureID(integer: number) : name.isUTF8 ? try? FeatureID(utf8: name) : nil
  }

  private func sums(of stored: Stored) throws(StoreError) -> BucketSums {
    let answers = try stored.connection.run(
      [
        stored.queries.sums.with { $0.add(info.key, stored.time) },
        stored.queries.hashes.with {
          $0.add(info.key, stored.time)
          $0.add(ids: stored.changed)
        },
      ], within: ComparisonQueries.patience)
    var sums = BucketSums()
    for row in answers[0] {
      guard let bucket = row.integer(0), (0..<BucketSums.count).contains(Int(bucket)),
        let count = row.integer(1), let sum = row.text(2).flatMap({ Int128($0) })
      else { throw .io(reason: "sums of rows make no sense") }
      sums.add(sum, count: Int(count), to: Int(bucket))
    }
    for row in answers[1] {
      if let hash = row.integer(0) { sums.subtract(UInt64(bitPattern: hash)) }
    }
    return sums
  }

  // MARK: The collection in memory

  private func ownSums(without stored: Stored) throws(StoreError) -> BucketSums {
    var sums = BucketSums()
    var hash = FeatureHash()
    try forEachHash(since: stored.time) { sums.add($1) }
    for id in stored.changed {
      guard let ordinal = index.ordinal(of: id) else { continue }
      let record = index.record(at: ordinal)
      if !record.hasExpired(at: stored.time) { sums.subtract(try hash.hash(record)) }
    }
    return sums
  }

  private func forEachHash(
    since time: Int64, _ body: (FeatureRecord, UInt64) -> Void
  ) throws(StoreError) {
    defer { withExtendedLifetime(index) {} }
    var hash = FeatureHash()
    for block in 0..<index.serials.count {
      for ordinal in index.ordinals(ofBlock: block) {
        let record = index.record(at: ordinal)
        if !record.hasExpired(at: time) { body(record, try hash.hash(record)) }
      }
    }
  }

  // MARK: Differences

  /// The features that differ, of as many buckets as have few enough rows, and whether those are all buckets.
  private func differing(
    _ buckets: [Int], _ sums: BucketSums, _ stored: Stored
  ) throws(StoreError) -> (features: [FeatureID], isComplete: Bool) {
    var (looked, rows) = (Set<Int>(), 0)
    for bucket in buckets {
      rows += sums.counts[bucket]
      if looked.isEmpty || rows <= PostgresComparison.most { looked.insert(bucket) }
    }
    let query = stored.queries.rows.with {
      $0.add(info.key, stored.time)
      $0.add(looked.sorted().map(Int64.init))
    }
    var hashes: [FeatureID: UInt64] = [:]
    for row in try stored.connection.answer(to: query, within: ComparisonQueries.patience) {
      guard let id = PostgresComparison.id(row), let hash = row.integer(2) else {
        throw .damaged(path: servers.address.name, reason: "a feature has an invalid id")
      }
      hashes[id] = UInt64(bitPattern: hash)
    }
    var differing: Set<FeatureID> = []
    try forEachHash(since: stored.time) { record, hash in
      guard looked.contains(BucketSums.bucket(of: hash)) else { return }
      let id = record.id
      if hashes.removeValue(forKey: id) != hash { differing.insert(id) }
    }
    differing.formUnion(hashes.keys)
    differing.subtract(stored.changed)
    return (
      Array(differing.sorted().prefix(PostgresComparison.most)),
      looked.count == buckets.count && differing.count <= PostgresComparison.most
    )
  }
}
