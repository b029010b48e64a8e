/// The statements of a ``PostgresComparison``.
struct ComparisonQueries {
  /// The longest that one of them may take, in seconds.
  static let patience = 600.0

  /// Has the server take its time, on one processor, and look at all rows where that is quicker.
  static let session = PostgresStatement(
    "compare",
    """
    SELECT set_config('enable_seqscan', 'on', false), set_config('enable_bitmapscan', 'on', false),
      set_config('max_parallel_workers_per_gather', '0', false),
      set_config('idle_in_transaction_session_timeout', '0', false),
      set_config('statement_timeout', '\(Int(patience))s', false)
    """)

  /// The time of the transaction in milliseconds since 1970 (UTC).
  static let start = PostgresStatement(
    "start", "SELECT (extract(epoch FROM now()) * 1000)::bigint")

  /// The changes of a collection since a version, and those of an attached table that have no version
  /// yet.
  static let changed = PostgresStatement(
    "changed since",
    """
    SELECT number, name FROM (
      SELECT n.number, n.name COLLATE "C" AS name FROM changes AS c
      CROSS JOIN LATERAL unnest(c.numbers, c.names) AS n (number, name)
      WHERE c.collection = $1 AND c.version > $2
      UNION SELECT p.number, p.name FROM pending AS p WHERE p.collection = $1) AS i
    LIMIT $3
    """)

  /// The count and the sum of the hashes of rows in each bucket.
  let sums: PostgresStatement
  /// The hashes of some rows.
  let hashes: PostgresStatement
  /// The ids and hashes of the rows in some buckets.
  let rows: PostgresStatement

  /// - Parameter source: the relation that has the rows of an attached collection.
  init(source: String?) {
    let source = source.map(AttachedSource.init)
    // Without the offset, the hash would be put wherever it is named, and computed as often.
    let hashed = """
      SELECT f.number, f.name, \(FeatureHash.sql) AS hash FROM \(source.relation) AS f
      WHERE f.collection = $1 AND (f.expires IS NULL OR f.expires > $2)
      """
    let bucket = "(h.hash & \(BucketSums.count - 1))"
    sums = PostgresStatement(
      "sums",
      "SELECT \(bucket), count(*), sum(h.hash)::text FROM (\(hashed) OFFSET 0) AS h GROUP BY 1")
    rows = PostgresStatement(
      "rows",
      """
      SELECT h.number, h.name, h.hash FROM (\(hashed) OFFSET 0) AS h
      WHERE \(bucket) = ANY($3::bigint[])
      """)
    hashes = PostgresStatement(
      "hashes",
      """
      SELECT \(FeatureHash.sql) FROM unnest($3::bigint[], $4::text[]) AS i (number, name)
      CROSS JOIN LATERAL (\(source.row)) AS f
      WHERE f.collection = $1 AND (f.expires IS NULL OR f.expires > $2)
      """)
  }
}
