/// The statements of a shared store.
enum PostgresQueries {
  static let begin = PostgresStatement("begin", "BEGIN")
  static let beginReading = PostgresStatement(
    "begin reading", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
  static let commit = PostgresStatement("commit", "COMMIT")
  static let rollback = PostgresStatement("rollback", "ROLLBACK")

  private static let columns =
    "key, id, title, description, version, largest_integer, feature_count, ttl, time_start, time_end, "
    + "trimmed, source, checksum, token, (SELECT c.at FROM changes AS c "
    + "WHERE c.collection = collections.key AND c.version = collections.version)"

  /// Locks collections against changes by others until the end of the transaction; a row for each. It may see one as it was
  /// before the wait for that.
  static let lock = PostgresStatement(
    "lock", "SELECT FROM collections WHERE id = ANY($1) ORDER BY id FOR UPDATE")
  /// Collections by id.
  static let byID = PostgresStatement(
    "by id", "SELECT \(columns) FROM collections WHERE id = ANY($1) ORDER BY id")
  /// Collections by key.
  static let find = PostgresStatement(
    "find", "SELECT \(columns) FROM collections WHERE key = ANY($1) ORDER BY id")
  static let all = PostgresStatement("all", "SELECT \(columns) FROM collections ORDER BY id")
  /// The time in microseconds since 1970 (UTC).
  static let time = PostgresStatement(
    "time", "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint")
  /// Takes a lock by the transaction's token, which is held until the transaction has ended.
  static let turn = PostgresStatement("turn", "SELECT pg_advisory_xact_lock($1)")

  /// The slots over which collections are spread, by their keys.
  static let slots: Int64 = 64
  private static func lock(ofSlot slot: String) -> String {
    "hashtextextended('pincluster slot ' || current_schema(), 16) # (\(slot))"
  }
  /// Opens the slots of collections until the end of the transaction. A change takes its time after that, so that no time is
  /// settled before which it may still turn up. Writers don't wait for each other in this.
  static let openSlots = PostgresStatement(
    "open slots",
    "SELECT pg_advisory_xact_lock_shared(\(lock(ofSlot: "key % \(slots)"))) FROM collections WHERE id = ANY($1)"
  )
  /// The same for one, by its key.
  static let openSlot = PostgresStatement(
    "open slot", "SELECT pg_advisory_xact_lock_shared(\(lock(ofSlot: "$1 % \(slots)")))")
  /// The text in the error of ``assume``, for those who read the server's log.
  static let othersWereFaster =
    "pincluster begins this transaction again, as another instance was faster"
  /// Does what ``lock``, ``turn`` and ``openSlots`` do, and fails unless the collections are those with the keys, versions and
  /// tokens given, and none is attached: what follows in the same round trip isn't done then. A statement fails by a text that
  /// is no number.
  static let assume = PostgresStatement(
    "assume",
    """
    WITH locked AS MATERIALIZED (
      SELECT key, version, token FROM collections WHERE id = ANY($1) AND source IS NULL ORDER BY id FOR UPDATE)
    SELECT CASE WHEN count(pg_advisory_xact_lock_shared(\(lock(ofSlot: "key % \(slots)")))) = cardinality($2) THEN 1
        ELSE ('\(othersWereFaster) ' || count(*))::int END,
      pg_advisory_xact_lock($5)
    FROM locked JOIN unnest($2::bigint[], $3::bigint[], $4::bigint[]) AS e (key, version, token)
      USING (key, version, token)
    """)
  /// The slots that nobody has open. Each is locked for a moment, and not two at a time.
  static let closedSlots = PostgresStatement(
    "closed slots",
    """
    SELECT s FROM generate_series(0::bigint, \(slots - 1)) AS s
    WHERE CASE WHEN pg_try_advisory_lock(\(lock(ofSlot: "s"))) THEN pg_advisory_unlock(\(lock(ofSlot: "s"))) ELSE false END
    """)
  /// Whether this instance is the one that deletes expired features.
  static let sweeper = PostgresStatement(
    "sweeper",
    "SELECT pg_try_advisory_xact_lock(hashtextextended('pincluster sweep ' || current_schema(), 16))"
  )

  /// The columns of a feature, as ``PostgresRow`` reads them.
  static let featureColumns =
    "f.number, f.name, f.written_as_text, f.longitude, f.latitude, f.further, f.properties, f.expires, f.checksum"

  /// The features that have changed since a version of a collection, as they are; those that were deleted have no
  /// position. In the order of ids, with the times of the last change of each and of the first.
  static func changed(source: String?) -> PostgresStatement {
    // Where ids are compared with a column of another table, the collation is that of the column.
    let name = source == nil ? #"n.name COLLATE "C" AS name"# : "n.name"
    return PostgresStatement(
      "changed \(source ?? "features")",
      features(
        """
        SELECT n.number, \(name), max(c.at) AS at, min(c.at) AS first
        FROM changes AS c
        CROSS JOIN LATERAL unnest(c.numbers, c.names) AS n (number, name)
        WHERE c.collection = $1 AND c.version > $2
        GROUP BY 1, 2
        """, of: source.map(AttachedSource.init)))
  }

  /// Features as they are, by their ids, as ``changed(source:)`` tells them.
  static let named = PostgresStatement(
    "named",
    features(
      """
      SELECT number, name COLLATE "C" AS name, NULL::bigint AS at, NULL::bigint AS first
      FROM unnest($2::bigint[], $3::text[]) AS n (number, name)
      """
    ))

  /// Reads the features whose ids a query selects, as they are; those that aren't there have no position. In the order of
  /// ids.
  private static func features(_ ids: String, of source: AttachedSource? = nil) -> String {
    """
    SELECT i.number, i.name, f.written_as_text, f.longitude, f.latitude, f.further, f.properties,
      f.expires, f.checksum, i.at, i.first
    FROM (\(ids)) AS i
    LEFT JOIN LATERAL (\(source.row)) AS f ON true
    ORDER BY i.number, i.name COLLATE "C"
    """
  }

  static let count = PostgresStatement(
    "count", "SELECT count(*) FROM features WHERE collection = $1")

  static let upsert = PostgresStatement(
    "upsert",
    """
    INSERT INTO features (collection, number, name, written_as_text, longitude, latitude, further,
      properties, expires, checksum)
    SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::boolean[], $5::double precision[],
      $6::double precision[], $7::bytea[], $8::text[], $9::bigint[], $10::bigint[])
    ON CONFLICT (collection, number, name) DO UPDATE SET written_as_text = excluded.written_as_text,
      longitude = excluded.longitude, latitude = excluded.latitude, further = excluded.further,
      properties = excluded.properties, expires = excluded.expires, checksum = excluded.checksum
    """)
  static let delete = PostgresStatement(
    "delete",
    """
    DELETE FROM features AS f USING unnest($2::bigint[], $3::text[]) AS i (number, name)
    WHERE f.collection = $1 AND f.number = i.number AND f.name = i.name
    """)
  /// Creates a collection above every version that there was; returns its key and version, or no row if another
  /// instance has just created it.
  static let create = PostgresStatement(
    "create",
    """
    INSERT INTO collections (id, version) SELECT $1, floor FROM (SELECT floor FROM store FOR SHARE) AS s
    ON CONFLICT (id) DO NOTHING RETURNING key, version
    """)
  /// Notes a change at the present time, but not before one that is given, and writes the row of its collection; returns
  /// that time.
  static let change = PostgresStatement(
    "change",
    """
    WITH noted AS (
      INSERT INTO changes (collection, version, at, token, numbers, names)
      VALUES ($1, $4, greatest($15, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint), $11, $13, $14)
      RETURNING at)
    UPDATE collections SET title = $2, description = $3, version = $4, largest_integer = $5,
      feature_count = $6, ttl = $7, time_start = $8, time_end = $9, checksum = $10,
      token = $11, trimmed = CASE WHEN $12 = 1 THEN $4 ELSE trimmed END
    WHERE key = $1 RETURNING (SELECT at FROM noted)
    """)
  static let notify = PostgresStatement("notify", "SELECT pg_notify($1, $2)")
  /// Drops a collection at a version.
  static let raiseFloor = PostgresStatement(
    "raise floor", "UPDATE store SET floor = greatest(floor, $1)")
  static let drop = PostgresStatement("drop", "DELETE FROM collections WHERE key = $1")
  static let noteDropped = PostgresStatement(
    "note dropped", "INSERT INTO dropped (key) VALUES ($1)")
  static let dropChanges = PostgresStatement(
    "drop changes", "DELETE FROM changes WHERE collection = $1")
  /// Notes who has dropped a collection, and forgets some of those who did long ago.
  static let markDrop = PostgresStatement(
    "mark drop",
    """
    WITH old AS (
      SELECT version FROM changes
      WHERE collection = \(DropMark.collection) AND at < $2 - \(DropMark.lifetime)
      ORDER BY version LIMIT 100 FOR UPDATE SKIP LOCKED),
    forgotten AS (
      DELETE FROM changes AS c USING old WHERE c.collection = \(DropMark.collection) AND c.version = old.version)
    INSERT INTO changes (collection, version, at, token, numbers, names)
    VALUES (\(DropMark.collection), $1, $2, $3, ARRAY[$1], '{}')
    """)

  private static let changesAt = """
    SELECT c.collection, c.token, c.numbers[1], c.at FROM unnest($1::bigint[], $2::bigint[]) AS i (key, version)
    JOIN changes AS c ON c.collection = i.key AND c.version = i.version
    """
  /// The collections and tokens of changes; of those that aren't there, none.
  static let tokens = PostgresStatement("tokens", changesAt)
  /// The same, with the first of the numbers and the time, in a transaction that writes something where any are there: so its commit
  /// waits for a synchronous standby, which then has these changes, too.
  static let proof = PostgresStatement("proof", "\(changesAt) FOR UPDATE OF c")
  /// Whether the transaction of a token has ended, if it ever was.
  static let hasEnded = PostgresStatement("has ended", "SELECT pg_try_advisory_xact_lock($1)")
  /// The timeline of the server, which grows when a standby takes over.
  static let timeline = PostgresStatement(
    "timeline", "SELECT ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint")

  static let anyDropped = PostgresStatement(
    "any dropped", "SELECT key FROM dropped LIMIT 1 FOR UPDATE SKIP LOCKED")
  static let clear = PostgresStatement(
    "clear",
    """
    WITH some AS (SELECT number, name FROM features WHERE collection = $1 LIMIT $2),
      gone AS (
        DELETE FROM features AS f USING some
        WHERE f.collection = $1 AND f.number = some.number AND f.name = some.name RETURNING 1)
    SELECT count(*) FROM gone
    """)
  static let forgetDropped = PostgresStatement(
    "forget dropped", "DELETE FROM dropped WHERE key = $1")

  /// Forgets changes that are older than a time, of the collection that has the oldest, but for the last of each, by whose
  /// token it is recognized. A row if there may be more.
  static let trim = PostgresStatement(
    "trim",
    """
    WITH due AS (
      SELECT k.key, k.version FROM collections AS k
      CROSS JOIN LATERAL (
        SELECT c.version, c.at FROM changes AS c WHERE c.collection = k.key ORDER BY c.version LIMIT 1) AS first
      WHERE first.at < $1 AND first.version < k.version ORDER BY first.at LIMIT 1),
    old AS (
      SELECT o.collection, o.version FROM due
      CROSS JOIN LATERAL (
        SELECT c.collection, c.version, c.at FROM changes AS c
        WHERE c.collection = due.key AND c.version < due.version ORDER BY c.version LIMIT $2) AS o
      WHERE o.at < $1),
    gone AS (
      DELETE FROM changes AS c USING old
      WHERE c.collection = old.collection AND c.version = old.version RETURNING c.version)
    UPDATE collections SET trimmed = greatest(trimmed, (SELECT max(version) FROM gone))
    WHERE key = (SELECT key FROM due) AND EXISTS (SELECT FROM gone) RETURNING 1
    """)
}

/// Where it is noted which transaction has dropped a collection, as the collection's own changes go with it: as changes of a
/// collection that never is there, each under the key that the dropped one had. Later drops forget those of an hour ago.
enum DropMark {
  /// The key under which they are kept. Those of collections begin with 1.
  static let collection: Int64 = 0
  /// How long they are kept at least, in microseconds: far longer than a write waits for its outcome.
  static let lifetime: Int64 = 3_600_000_000
}
