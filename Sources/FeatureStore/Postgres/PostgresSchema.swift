/// The tables of a shared store and the migrations that lead to them, in a schema of their own.
///
/// - `store`: one row. `version` is that of the schema, `floor` a number that no version of a dropped collection
///   exceeds: a new collection begins above it.
/// - `collections`: a row for each ``CollectionInfo``, with its CRC-32. A writer of a collection locks its row first, so
///   its versions follow each other without a gap. `token` is that of its last change. `trimmed` is the version up to
///   which changes are no longer noted. `source` is the relation to read features from, where they aren't in `features`.
///   Texts are bytes of UTF-8, as PostgreSQL's own have no U+0000.
/// - `features`: a row for each feature. An integer id is `number`, with an empty `name`; a text id is `name`, and
///   `number` the largest there is. So the primary key has the order of ``FeatureID``. `further` holds the ordinates after
///   longitude and latitude, as big-endian doubles; `expires` is in milliseconds since 1970 (UTC); `checksum` is that of
///   ``FeatureRow/checksum(in:)``.
/// - `changes`: a row for each transaction and collection that it has changed, up to `version`: the ids of the features
///   that were written or deleted, as far as they aren't too many (then `trimmed` is raised), and a random `token` by
///   which the writer finds out whether it was committed. `at` is in microseconds since 1970 (UTC).
/// - `dropped`: keys of collections whose rows are still to be deleted.
/// - `pending`: ids of features of attached tables that have changed, until an instance takes them over, with the number
///   of the transaction that has changed them. The smallest `number` there is stands for all features.
enum PostgresSchema {
  /// The steps, in order; the one at index n leads from version n to n + 1. A released step is never edited.
  static let migrations: [[String]] = [
    [
      """
      CREATE TABLE store (
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        id bigint NOT NULL,
        version bigint NOT NULL,
        floor bigint NOT NULL DEFAULT 0)
      """,
      """
      CREATE TABLE collections (
        key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id text COLLATE "C" NOT NULL UNIQUE,
        title bytea,
        description bytea,
        version bigint NOT NULL,
        largest_integer bigint NOT NULL DEFAULT 0,
        feature_count bigint NOT NULL DEFAULT 0 CHECK (feature_count >= 0),
        ttl bigint CHECK (ttl > 0),
        time_start bytea,
        time_end bytea,
        token bigint NOT NULL DEFAULT 0,
        trimmed bigint NOT NULL DEFAULT 0,
        source text,
        checksum bigint)
      """,
      // Collections are few and change all the time.
      "ALTER TABLE collections SET (fillfactor = 50)",
      """
      CREATE TABLE features (
        collection bigint NOT NULL,
        number bigint NOT NULL,
        name text COLLATE "C" NOT NULL,
        written_as_text boolean NOT NULL,
        longitude double precision NOT NULL,
        latitude double precision NOT NULL,
        further bytea,
        properties text NOT NULL,
        expires bigint,
        checksum bigint NOT NULL,
        PRIMARY KEY (collection, number, name))
      """,
      """
      CREATE TABLE changes (
        collection bigint NOT NULL,
        version bigint NOT NULL,
        at bigint NOT NULL,
        token bigint NOT NULL,
        numbers bigint[] NOT NULL,
        names text[] NOT NULL,
        PRIMARY KEY (collection, version))
      """,
      "CREATE TABLE dropped (key bigint PRIMARY KEY)",
      """
      CREATE TABLE pending (
        collection bigint NOT NULL,
        number bigint NOT NULL,
        name text COLLATE "C" NOT NULL,
        transaction xid8 NOT NULL DEFAULT pg_current_xact_id())
      """,
      "CREATE INDEX pending_transaction ON pending (transaction)",
      // Rows come and go all the time.
      "ALTER TABLE pending SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000)",
    ]
  ]

  /// The version of the schema that this program writes.
  static var version: Int { migrations.count }

  /// Creates the schema and its tables if they aren't there, and brings those of an earlier version to this one, while
  /// other instances wait that do the same. Returns the store's id.
  ///
  /// Instances of the earlier version may go on with it meanwhile, so a step only adds what they can leave alone.
  ///
  /// - Parameter migrations: the steps; a test has one more.
  /// - Throws: ``StoreError/newerSchema(path:found:supported:)`` if the schema has more steps behind it than there are,
  ///   ``StoreError/refused(reason:)`` if the role may not make it, and errors of the connection.
  static func prepare(
    _ connection: PostgresConnection, schema: String, migrations: [[String]] = migrations
  ) throws(StoreError) -> UInt64 {
    let path = connection.address.name
    let encoding = try connection.once("SELECT current_setting('server_encoding')")?[0].text(0)
    guard encoding == "UTF8" else {
      throw .io(reason: "\(path): the database's encoding is \(encoding ?? "unknown"), not UTF8")
    }
    var found = try state(connection, schema: schema)
    if found.version < migrations.count {
      try migrate(connection, schema: schema, by: migrations)
      found = try state(connection, schema: schema)
    }
    guard found.version == migrations.count else {
      throw .newerSchema(
        path: "\(path), schema \(schema),", found: found.version, supported: migrations.count)
    }
    return UInt64(bitPattern: found.id)
  }

  /// The id of a store and the version of its schema; 0 if there is none.
  ///
  /// - Throws: ``StoreError/damaged(path:reason:)`` if it doesn't say so, and errors of the connection.
  private static func state(
    _ connection: PostgresConnection, schema: String
  ) throws(StoreError) -> (id: Int64, version: Int) {
    let table = SQLText.quoted("store", in: schema)
    guard try connection.once("SELECT to_regclass($1) IS NOT NULL", table)?.isTrue == true else {
      return (0, 0)
    }
    let rows = try connection.once("SELECT id, version FROM store")
    guard let rows, rows.count == 1, let id = rows[0].integer(0), let version = rows[0].integer(1),
      version > 0
    else {
      throw .damaged(
        path: connection.address.name, reason: "its table \"store\" doesn't have one row")
    }
    return (id, Int(clamping: version))
  }

  /// Does the steps that a schema lacks, in a transaction that no other instance runs at the same time.
  private static func migrate(
    _ connection: PostgresConnection, schema: String, by migrations: [[String]]
  ) throws(StoreError) {
    let quoted = SQLText.quoted(schema)
    do {
      try connection.once("BEGIN")
      try connection.once(
        "SELECT pg_advisory_xact_lock(hashtextextended($1, 16))", "pincluster \(schema)")
      if try connection.once("SELECT to_regnamespace($1) IS NOT NULL", quoted)?.isTrue != true {
        try connection.once("CREATE SCHEMA \(quoted)")
      }
      // Another instance may have been first.
      let begun = try state(connection, schema: schema).version
      for step in migrations.dropFirst(begun).joined() { try connection.once(step) }
      if begun == 0 {
        let id = Int64(bitPattern: UInt64.random(in: .min ... .max))
        try connection.once("INSERT INTO store (id, version) VALUES (\(id), \(migrations.count))")
      } else if begun < migrations.count {
        try connection.once("UPDATE store SET version = \(migrations.count)")
      }
      try connection.once("COMMIT")
    } catch {
      connection.rollBack()
      guard case .readOnly(let reason) = error else { throw error }
      throw .refused(
        reason: "\(reason). Its owner can make the schema for the service: "
          + "CREATE SCHEMA \(quoted) AUTHORIZATION …")
    }
  }
}
