import ClusterCore
import Dispatch
import Synchronization
import Threading

/// Loads a collection of a shared store: from an index file and the changes since, or from all rows, which several
/// connections read at the same time, each some ranges of ids, as they were at one moment.
struct PostgresLoader: Sendable {
  private static let batchSize = 8192

  let servers: PostgresServers
  let storeID: UInt64
  let info: CollectionInfo
  let file: (file: PostgresIndexCache.File, path: String)?

  /// Loads it on the calling thread and others. Throws ``StoreError`` and, where memory is full,
  /// `RecordArena.Full`.
  func load() throws -> LoadedIndex {
    let connection = try connect()
    let key = info.key
    let answer = try connection.run([
      PostgresQueries.beginReading.with(), PostgresQueries.find.with { $0.add([key]) },
    ])[1]
    guard let info = try CollectionInfo.all(answer, of: servers.address).first else {
      throw StoreError.dropped(collection: info.id)
    }
    var fault: String?
    if let file {
      do {
        if let loaded = try stored(file.file, file.path, info, connection) { return loaded }
      } catch let unusable as Unusable { fault = unusable.reason }
    }
    let expected = try info.isAttached ? size(of: info, connection) : info.featureCount
    let index = try FeatureIndexBuilder.withMemory(for: expected) {
      try all(info, expected, connection)
    }
    guard let index else {
      throw StoreError.io(
        reason: "there isn't enough memory for the \(expected) features of \(info.id)")
    }
    guard index.count == info.featureCount || info.source != nil else {
      throw StoreError.damaged(
        path: servers.address.name,
        reason: "the collection \(info.id) of \(info.featureCount) features has \(index.count) rows"
      )
    }
    return LoadedIndex(info: info, index: index, expired: 0, changes: nil, fault: fault)
  }

  private struct Unusable: Error { var reason: String }

  private func connect() throws(StoreError) -> PostgresConnection {
    let connection = try servers.connect()
    try connection.once(
      """
      SELECT set_config('enable_seqscan', 'on', false), set_config('enable_bitmapscan', 'on', false),
        set_config('work_mem', '128MB', false),
        set_config('idle_in_transaction_session_timeout', '0', false)
      """)
    return connection
  }

  // MARK: From a file

  /// The index by its file and the changes since; nil if more has changed than is noted.
  private func stored(
    _ file: PostgresIndexCache.File, _ path: String, _ info: CollectionInfo,
    _ connection: PostgresConnection
  ) throws -> LoadedIndex? {
    guard file.version >= info.trimmed, file.version <= info.version else { return nil }
    let tokens = try connection.answer(
      to: PostgresQueries.tokens.with { $0.add([file.key], [file.version]) })
    // The database may be another one than it was, after a standby has taken over.
    guard tokens.count == 1, tokens[0].integer(1) == file.token else { return nil }
    guard let source = IndexFile(path, of: file.identity(storeID)) else {
      throw Unusable(reason: "\(path) is missing or damaged")
    }
    let rows = ChangedRows(servers.address)
    try connection.answer(
      to: PostgresQueries.changed(source: info.source).with { $0.add(file.key, file.version) },
      within: 60, sink: rows)
    let changes = try rows.changes(of: info.key)
    let index = try FeatureIndexBuilder.withMemory(for: info.featureCount) {
      let index = FeatureIndex.decode(source)
      return try changes.isEmpty ? index : index?.applying(changes).index
    }
    guard let index = index ?? nil else { throw Unusable(reason: "\(path) is damaged") }
    guard index.count == info.featureCount || info.source != nil else {
      throw Unusable(
        reason:
          "\(path) and the changes since have \(index.count) features, not \(info.featureCount)")
    }
    return LoadedIndex(
      info: info, index: index, expired: 0, changes: changes.reduce(0) { $0 + $1.count },
      fault: nil)
  }

  // MARK: From rows

  private func all(
    _ info: CollectionInfo, _ expected: Int, _ connection: PostgresConnection
  ) throws -> FeatureIndex {
    let ranges =
      try info.source.map { source in
        try self.ranges(of: AttachedSource(source), expected, connection)
      } ?? ranges(of: info, connection)
    var builder = FeatureIndexBuilder(expecting: expected)
    guard ranges.count > 1 else {
      try read(ranges[0], of: info, connection) { try builder.append($0) }
      return builder.build()
    }
    let snapshot = try connection.once("SELECT pg_export_snapshot()")?.first?.text(0)
    let queue = RangeQueue(count: ranges.count, ahead: 2 * PostgresLoader.connections)
    let group = DispatchGroup()
    for _ in 0..<PostgresLoader.connections {
      DispatchQueue.global().async(group: group) {
        do {
          let other = try connect()
          try other.run([PostgresQueries.beginReading.with()])
          // It is a word of digits and dashes that the server has made.
          try other.once("SET TRANSACTION SNAPSHOT '\(snapshot ?? "")'")
          while let number = queue.take() {
            var batches: [FeatureBatch] = []
            try read(ranges[number], of: info, other) { batches.append($0) }
            queue.put(batches, for: number)
          }
        } catch { queue.fail(error) }
      }
    }
    // The batches are freed before its connections.
    defer { group.wait() }
    do {
      while let batches = try queue.next() {
        for batch in batches { try builder.append(batch) }
      }
    } catch {
      queue.fail(error)
      throw error
    }
    return builder.build()
  }

  private static let connections = min(max(Processors.count, 2), 4)

  /// Reads a range of rows and hands over their features in the order of ids.
  private func read(
    _ range: String, of info: CollectionInfo, _ connection: PostgresConnection,
    _ body: (FeatureBatch) throws -> Void
  ) throws {
    let checker = RowChecker(info.key, path: servers.address.name)
    var rows = ReadRows()
    var failure: (any Error)?
    func hand() {
      do {
        try checker.check(rows)
        if !rows.living.batch.isEmpty { try body(rows.living.batch) }
      } catch { failure = error }
      rows.removeAll()
    }
    try connection.copy(
      """
      COPY (SELECT \(PostgresQueries.featureColumns) FROM \(info.source.map(AttachedSource.init).relation) AS f
        WHERE f.collection = \(info.key) \(range) ORDER BY f.number, f.name)
      TO STDOUT (FORMAT binary)
      """
    ) { (bytes) throws(StoreError) in
      guard let row = try PostgresRow(copied: bytes, of: servers.address) else { return }
      try row.append(to: &rows)
      if rows.count >= PostgresLoader.batchSize { hand() }
      if failure != nil { throw .io(reason: "its rows can't be used") }
    }
    hand()
    if let failure { throw failure }
  }

  /// Conditions that divide a collection into ranges of about the same size, in the order of ids.
  private func ranges(of info: CollectionInfo, _ connection: PostgresConnection) throws -> [String]
  {
    guard info.featureCount >= servers.many else { return [""] }
    let statement = PostgresStatement.once(
      """
      SELECT number, name FROM features TABLESAMPLE SYSTEM ((
        SELECT least(100, greatest(0.01, 2000000 / greatest(reltuples, 1)))
        FROM pg_class WHERE oid = 'features'::regclass))
      WHERE collection = $1 ORDER BY number, name
      """)
    let sample = try connection.answer(to: statement.with { $0.add(info.key) }, within: 60)
    let parts = min(info.featureCount / servers.rangeSize + 1, 256, max(sample.count / 4, 1))
    var bounds: [String] = []
    for part in 1..<max(parts, 1) {
      let row = sample[part * sample.count / parts]
      guard let number = row.integer(0), let name = row.text(1) else { continue }
      let bound = "(\(number)::bigint, \(SQLText.literal(name)) COLLATE \"C\")"
      if bounds.last != bound { bounds.append(bound) }
    }
    return (0...bounds.count).map { index in
      (index > 0 ? " AND (f.number, f.name) >= \(bounds[index - 1])" : "")
        + (index < bounds.count ? " AND (f.number, f.name) < \(bounds[index])" : "")
    }
  }
}
