/// The statements by which instances follow attached tables.
enum AttachedQueries {
  /// The most features that are taken over at once.
  static let most: Int64 = 20_000
  /// A `number` in `pending` that stands for all features.
  static let everything = "(-9223372036854775808)"

  /// Makes reading a locked table fail soon.
  static let hurry = PostgresStatement(
    "hurry", "SELECT set_config('lock_timeout', '200ms', true)")

  /// Makes this instance the one that looks all the time for pending changes, unless another one is.
  static let beTaker = PostgresStatement(
    "be taker",
    "SELECT pg_try_advisory_lock(hashtextextended('pincluster attached ' || current_schema(), 16))")

  /// The number of the first transaction that may still be under way, and the collections with changes by that one of a
  /// call before, and later ones. The changes of earlier transactions have been taken over by then.
  static let pending = PostgresStatement(
    "pending",
    """
    SELECT t.horizon, p.collection
    FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon) AS t
    LEFT JOIN (
      SELECT DISTINCT collection FROM pending WHERE transaction >= $1::text::xid8) AS p ON true
    """)

  /// Takes an attached collection to its next version, unless another instance is doing that.
  static let advance = PostgresStatement(
    "advance",
    """
    UPDATE collections SET version = version + 1, token = $2 WHERE key = (
      SELECT key FROM collections WHERE key = $1 AND source IS NOT NULL FOR UPDATE SKIP LOCKED)
    RETURNING version
    """)

  /// Moves pending changes to the changes of a version that this transaction has begun; returns how many there were.
  static let take = PostgresStatement(
    "take",
    """
    WITH mine AS (SELECT key, version FROM collections WHERE key = $1 AND token = $2),
    gone AS (
      DELETE FROM pending WHERE ctid = ANY (ARRAY(
        SELECT p.ctid FROM pending AS p JOIN mine ON p.collection = mine.key
        WHERE p.transaction >= $3::text::xid8 LIMIT \(most)))
      RETURNING number, name),
    ids AS (SELECT DISTINCT number, name FROM gone WHERE number <> \(everything)),
    noted AS (
      INSERT INTO changes (collection, version, at, token, numbers, names)
      SELECT mine.key, mine.version, greatest((extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
          (SELECT c.at + 1 FROM changes AS c WHERE c.collection = mine.key ORDER BY c.version DESC LIMIT 1)), $2,
        ARRAY(SELECT number FROM ids ORDER BY number, name),
        ARRAY(SELECT name FROM ids ORDER BY number, name)
      FROM mine)
    SELECT count(*), count(*) FILTER (WHERE number = \(everything)) > 0 FROM gone
    """)

  /// Has all instances load a collection, from a version on that this transaction has begun.
  static let loadAnew = PostgresStatement(
    "load anew",
    """
    UPDATE collections SET trimmed = version WHERE key = $1 AND token = $2 AND EXISTS (
      SELECT FROM changes AS c
      WHERE c.collection = $1 AND c.version = collections.version AND c.token = $2)
    """)

  /// Notes features as changed.
  static let recheck = PostgresStatement(
    "recheck",
    """
    WITH turn AS MATERIALIZED (
      SELECT pg_try_advisory_xact_lock(
        hashtextextended('pincluster sweep ' || current_schema(), 16)) AS is_mine)
    INSERT INTO pending (collection, number, name)
    SELECT $1, i.number, i.name FROM turn CROSS JOIN unnest($2::bigint[], $3::text[]) AS i (number, name)
    WHERE turn.is_mine
    """)

  /// The size of a view's table, as known without reading it: its rows, or else its bytes.
  static let size = PostgresStatement(
    "size",
    """
    SELECT coalesce(max(greatest(c.reltuples, 0))::bigint, 0), coalesce(max(pg_relation_size(c.oid)), 0)::bigint
    FROM pg_depend AS d
    JOIN pg_rewrite AS r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid
    JOIN pg_class AS c ON d.refclassid = 'pg_class'::regclass AND c.oid = d.refobjid AND c.relkind = 'r'
    WHERE r.ev_class = to_regclass($1)
    """)
}
