import ClusterCore
import Glibc
import Synchronization
internal import Texts
import Threading

/// Collections of features in a PostgreSQL database, which other instances of the service share: each takes reads and
/// writes, and follows the writes of the others.
///
/// Writes are checked and carried out in memory, and go to the database as a whole, in one round trip: it confirms first that
/// the collections concerned are as they are shown. Where others have changed them, the writer begins again: it locks their
/// rows, and reads these changes, so that memory and database hold the same until the commit.
///
/// Not `Sendable`: one user at a time (``isolate(to:)``).
public final class PostgresStore: SharedStore {
  /// How and where.
  public struct Configuration: Sendable {
    /// Where the database is.
    public var address: PostgresAddress
    /// The schema of the tables.
    public var schema: String
    /// How often a collection is compared with its rows, in seconds; nil for never.
    public var comparisonInterval: Double?
    /// The directory for index files, which shorten the next start; nil for none.
    public var directory: String?

    /// The number of features from which on a collection is loaded by several connections, and that of a range of ids
    /// which one of them reads at a time.
    var (many, rangeSize) = (200_000, 50_000)

    /// Names a database, a schema, and a directory for index files.
    public init(address: PostgresAddress, schema: String = "pincluster", directory: String? = nil) {
      (self.address, self.schema, self.directory) = (address, schema, directory)
    }
  }

  /// A random number that was drawn when the tables were made.
  public let storeID: UInt64
  /// The database's clock, by which features expire.
  public let clock: WallClock
  /// The state of the connection.
  public let link = StoreLink()
  /// A function that gets the changes of other instances.
  public var onChange: (StoreChange) throws -> Void = { _ in }
  /// Nil: only writes change a version.
  public var unwrittenVersions: VersionCounter? { nil }

  let configuration: Configuration
  let servers: PostgresServers
  private(set) var cache: PostgresIndexCache?
  private let offset: ClockOffset
  private var isolation = Isolation.unchecked
  private(set) var held: PostgresConnection?
  private var isClosed = false
  /// When it is tried next to connect.
  private var attempts = Backoff(from: 100_000_000, to: 1_000_000_000)
  /// When every collection is looked at next, whatever was notified, on a monotonic clock.
  private var nextPoll: UInt = 0
  /// When every collection was looked at last. Notifications have that done ten times a second at most.
  private var lastPoll: UInt = 0
  /// The collections as they are shown, by id.
  var shown: [String: CollectionInfo] = [:]  // Characters: ids of collections, which are of ASCII
  /// The transaction that is open.
  var draft: PostgresDraft?
  /// Whether rows of collections that were dropped may be there.
  var mayHaveDropped = true
  /// When a transaction may take collections to be as they are shown, which fails while other instances write to them.
  var assuming = Backoff(from: 5_000_000, to: 1_000_000_000)
  /// The state of following attached tables.
  var attached = AttachedFollowing()
  /// The collections that can't be brought up to date for now.
  var backlog = Backlog()
  /// The times up to which all changes are known.
  var settling = Settling()
  /// When old changes are forgotten next, on a monotonic clock.
  var nextTrim: UInt = 0

  /// The difference of the database's clock from one of the machine that can't be set, in milliseconds: with the machine's own
  /// clock, features would expire when it is set.
  private final class ClockOffset: Sendable {
    let value = Atomic<Int64>(0)

    /// Milliseconds since the machine was started.
    static var bootTime: Int64 { Int64(BootTime.now / 1_000_000) }
  }

  /// Opens a store; creates its tables if there are none.
  ///
  /// Throws ``StoreError/away(reason:)`` while the database can't be reached, and ``StoreError/refused(reason:)`` if it
  /// doesn't let the service in.
  public init(_ configuration: Configuration) throws(StoreError) {
    self.configuration = configuration
    let offset = ClockOffset()
    self.offset = offset
    clock = WallClock(goesBack: true) {
      ClockOffset.bootTime + offset.value.load(ordering: .relaxed)
    }
    servers = PostgresServers(configuration)
    let connection = try PostgresStore.connect(servers)
    let id = try PostgresSchema.prepare(connection, schema: configuration.schema)
    storeID = id
    cache = try configuration.directory.map { directory throws(StoreError) in
      try PostgresIndexCache(directory: directory, storeID: id)
    }
    try begin(connection)
  }

  deinit { isolate(to: .unchecked) }

  /// How often a start tries to connect, once a second, as a database may be starting beside the service.
  private static let firstAttempts = 10

  private static func connect(_ servers: PostgresServers) throws(StoreError) -> PostgresConnection {
    for _ in 1..<firstAttempts {
      do { return try servers.connect() } catch {
        guard case .away = error else { throw error }
        sleep(1)
      }
    }
    return try servers.connect()
  }

  /// Sets where the store is used from now on.
  public func isolate(to isolation: Isolation) { self.isolation = isolation }

  /// Ends the connection. Every later call throws.
  public func close() {
    (held, draft, cache, isClosed) = (nil, nil, nil, true)
  }

  // MARK: The connection

  /// The channel of notifications of changes.
  var channel: String { PostgresStore.channel(of: configuration.schema) }

  /// The name under which those who share a schema are told of changes.
  static func channel(of schema: String) -> String { "pincluster \(schema)" }

  /// Prepares a new connection to follow others.
  private func begin(_ connection: PostgresConnection) throws(StoreError) {
    let answers = try connection.run([
      PostgresStatement.once("LISTEN \(SQLText.quoted(channel))").with(),
      PostgresQueries.time.with(),
    ])
    setClock(answers[1])
    held = connection
    nextPoll = 0
  }

  /// Follows the database's clock, given the answer to a query for its time. Once a second, as that may be set, too.
  func setClock(_ answer: PostgresResult) {
    guard let time = answer.first?.integer(0) else { return }
    offset.value.store(time / 1000 - ClockOffset.bootTime, ordering: .relaxed)
  }

  /// A descriptor that is readable when other instances have changed something; nil while there is no
  /// connection.
  public var descriptor: Int32? { held.map(\.descriptor) }

  /// The connection, made anew if it was lost.
  func connected() throws(StoreError) -> PostgresConnection {
    isolation.check()
    guard !isClosed else { throw .io(reason: "the store is closed") }
    if let held, !held.isLost { return held }
    held = nil
    let start = MonotonicTime.now
    // Callers are refused at once while no connection can be had.
    guard attempts.isDue(at: start) else { throw .away(reason: link.failure) }
    do {
      let connection = try servers.connect()
      try begin(connection)
      attempts.succeed()
      return connection
    } catch {
      held = nil
      link.isLost("\(error)")
      attempts.fail(least: MonotonicTime.now - start)
      throw error
    }
  }

  /// Runs a part, and takes note if the connection is lost in it.
  func noting<R>(_ body: (PostgresConnection) throws(StoreError) -> R) throws(StoreError) -> R {
    let connection = try connected()
    do { return try body(connection) } catch {
      if connection.isLost {
        held = nil
        link.isLost("\(error)")
      }
      throw error
    }
  }

  // MARK: Following

  /// Makes the next ``follow()`` look at every collection, whatever was notified.
  func pollNext() { nextPoll = 0 }

  /// Hands over the changes of other instances.
  ///
  /// - Throws: ``StoreError`` if the database can't be reached, or a change can't be handed over.
  public func follow() throws(StoreError) {
    let connection = try connected()
    guard draft == nil else { return }
    let start = MonotonicTime.now
    let notices = try noting { (connection) throws(StoreError) in try connection.takeNotices() }
    if notices.mayConcernAll { nextPoll = min(nextPoll, lastPoll + 100_000_000) }
    let isPoll = start >= nextPoll
    if isPoll { lastPoll = start }
    let taken = try takeOver(isPoll: isPoll)
    let isSettling = isPoll || settling.isDue(at: start)
    guard isSettling || !notices.keys.isEmpty || !taken.isEmpty else { return }
    // Before the look at the changes.
    let closed = isSettling ? try closedSlots() : nil
    let keys = taken.union(notices.keys).union(isSettling ? settling.open : [])
    var failure: StoreError?
    let seen = try noting { (_) throws(StoreError) -> [CollectionInfo] in
      do throws(StoreError) {
        let answer = try connection.run([
          PostgresQueries.beginReading.with(),
          isPoll
            ? PostgresQueries.all.with() : PostgresQueries.find.with { $0.add(keys.sorted()) },
        ])[1]
        // A row that was changed by hand holds up nothing but its collection.
        let (infos, unreadable) = CollectionInfo.readable(answer, of: configuration.address)
        let due = infos.filter { !$0.isAttached && backlog.isDue($0.key, at: start) }
        let changes = try changes(leadingTo: due, connection)
        try connection.run([PostgresQueries.commit.with()])
        let found = Set(infos.map(\.key) + unreadable.keys)
        let gone = shown.values.filter { info in
          (isPoll || keys.contains(info.key)) && !found.contains(info.key)
        }
        let untold = isPoll ? backlog.ids(besides: found).filter { shown[$0] == nil } : []
        for id in gone.map(\.id) + untold { try hand(.dropped(id: id)) }
        failure = try hand(due, changes) ?? unreadable.error
        return infos
      } catch {
        connection.rollBack()
        // A connection by which nothing can be read, as a right is missing, say, is none.
        if case .conflict = error { throw error }
        link.isLost("\(error)")
        nextPoll = MonotonicTime.now + 1_000_000_000
        throw error
      }
    }
    if isPoll {
      nextPoll = MonotonicTime.now + (closed?.pause ?? 1_000_000_000)
      if backlog.isEmpty { link.isCurrent(at: start) } else { link.isConnected() }
    }
    let attached = Result { () throws(StoreError) in try followAttached(seen) }
    if let closed { try settle(seen, closed) }
    try attached.get()
    if let failure { throw failure }
  }

  /// Where what leads to a state of a collection begins: with the state that is shown, or (-1) with nothing, as a small
  /// collection is read as a change of that. Nil if it is shown already, and where it has to be loaded.
  func start(of info: CollectionInfo) -> (version: Int64, token: Int64?)? {
    guard let old = shown[info.id], old.key == info.key else {
      return info.trimmed == 0 && info.source == nil
        && info.featureCount < PostgresStore.fewFeatures ? (-1, nil) : nil
    }
    guard old.version < info.version, old.version >= info.trimmed else { return nil }
    return (old.version, old.token)
  }

  private static let fewFeatures = 5000

  /// Reads the changes that lead from the shown state of collections to another, in the transaction that has found it.
  /// Nothing does where the database has, at the version that is shown, another change than the one that is shown: then
  /// the shown state never was there, or is there no longer, and the collection has to be loaded anew.
  func changes(
    leadingTo infos: [CollectionInfo], _ connection: PostgresConnection, within seconds: Double = 60
  ) throws(StoreError) -> [Int64: ChangedRows] {
    let read = infos.compactMap { info in
      start(of: info).map { (info: info, start: $0, rows: ChangedRows(configuration.address)) }
    }
    guard !read.isEmpty else { return [:] }
    let tokens = PostgresQueries.tokens.with {
      $0.add(read.map(\.info.key), read.map(\.start.version))
    }
    let changes = read.map { info, start, _ in
      PostgresQueries.changed(source: info.source).with { $0.add(info.key, start.version) }
    }
    let sinks = Dictionary(
      uniqueKeysWithValues: read.enumerated().map { ($0 + 1, $1.rows as any RowSink) })
    let answer = try connection.run([tokens] + changes, within: seconds, sinks: sinks)[0]
    var found: [Int64: Int64] = [:]
    for row in answer {
      if let key = row.integer(0) { found[key] = row.integer(1) }
    }
    let proven = read.filter { $0.start.token == nil || $0.start.token == found[$0.info.key] }
    return Dictionary(
      proven.map { ($0.info.key, $0.rows) }, uniquingKeysWith: { first, _ in first })
  }

  /// Begins a transaction: locks collections, and hands over other instances' changes of them.
  func lock(
    // Characters: ids of collections, which are of ASCII
    _ ids: Set<String>, as sweeper: Bool, token: Int64
  ) throws(StoreError) -> Bool {
    try noting { (connection) throws(StoreError) in
      var queries = [PostgresQueries.begin.with(), PostgresQueries.turn.with { $0.add(token) }]
      if sweeper { queries.append(PostgresQueries.sweeper.with()) }
      let first = queries.count
      for statement in [PostgresQueries.lock, PostgresQueries.byID, PostgresQueries.openSlots] {
        queries.append(statement.with { $0.add(ids.sorted()) })
      }
      let answers = try connection.run(queries)
      if sweeper, !answers[2].isTrue { return false }
      let infos = try CollectionInfo.all(answers[first + 1], of: configuration.address)
      // One may have been created while others were waited for.
      guard answers[first].count == infos.count else {
        throw .conflict(reason: "another instance has just created a collection")
      }
      // Locked, so no other instance changes them between these queries.
      let changes = try changes(
        leadingTo: infos.filter { !$0.isAttached }, connection, within: 10)
      let gone = ids.compactMap { shown[$0] }.filter { old in !infos.contains { $0.id == old.id } }
      for info in gone { try hand(.dropped(id: info.id)) }
      for info in infos where !info.isAttached { try hand(info, changes[info.key]) }
      for info in infos where !info.isAttached && shown[info.id]?.isSameState(as: info) != true {
        throw .away(reason: "the collection \(info.id) is still being loaded")
      }
      return true
    }
  }

  /// Every collection, by id.
  ///
  /// - Throws: ``StoreError`` if the database can't be reached, or a row is damaged.
  public func collections() throws(StoreError) -> [CollectionInfo] {
    try noting { (connection) throws(StoreError) in
      try CollectionInfo.all(
        connection.answer(to: PostgresQueries.all.with()), of: configuration.address)
    }
  }
}
