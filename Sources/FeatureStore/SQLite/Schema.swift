/// The tables of the database and the migrations that lead to them.
///
/// To change the tables, append a step to ``migrations``; it is run when an older database is opened.
///
/// - `store`: one row. `version` is a ceiling that no version exceeds while the store is open and after a
///   crash, and the last version itself once the store was closed.
/// - `collections`: a row for each ``CollectionInfo``, with its CRC-32. `ttl` is in milliseconds,
///   `time_start` and `time_end` are ``TemporalProperties``. Rows that were written before there were checksums
///   have none.
/// - `features`: a row for each feature, keyed by (collection, id), without a row id, so that there is one
///   tree to write, in the order in which it is read. `id` has the type ANY, which a STRICT table doesn't
///   convert: SQLite orders integers by value before text by its bytes, as ``FeatureID`` does. `position`
///   is a blob (``PositionCoder``) since a REAL column loses the sign of −0.0. `expires` is in
///   milliseconds since 1970 (UTC), `checksum` that of ``FeatureRow/checksum(in:)``; collections that are
///   older than checksums (`has_checksums` is 0) may have rows without one.
/// - `snapshots` and `changes`: the index files and the ids that have changed since (``ChangeLog``).
enum Schema {
  /// "PinC" in ASCII; marks a SQLite database as one of this program.
  static let applicationID: Int64 = 0x5069_6E43

  /// The steps, in order; the one at index n leads from version n to n + 1. A released step is never edited.
  static let migrations = [
    """
    CREATE TABLE store (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      id INTEGER NOT NULL,
      version INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE collections (
      key INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      title TEXT,
      description TEXT,
      version INTEGER NOT NULL,
      largest_integer INTEGER NOT NULL,
      feature_count INTEGER NOT NULL CHECK (feature_count >= 0)
    ) STRICT;
    CREATE TABLE features (
      collection INTEGER NOT NULL REFERENCES collections (key),
      id ANY NOT NULL,
      written_as_text INTEGER NOT NULL,
      position BLOB NOT NULL,
      properties TEXT NOT NULL,
      PRIMARY KEY (collection, id)
    ) STRICT, WITHOUT ROWID;
    """,
    """
    ALTER TABLE collections ADD COLUMN ttl INTEGER CHECK (ttl > 0);
    ALTER TABLE collections ADD COLUMN has_checksums INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE collections ADD COLUMN checksum INTEGER;
    ALTER TABLE features ADD COLUMN expires INTEGER;
    ALTER TABLE features ADD COLUMN checksum INTEGER;
    CREATE INDEX features_by_expiry ON features (collection, expires) WHERE expires IS NOT NULL;
    """,
    """
    CREATE TABLE snapshots (
      collection INTEGER PRIMARY KEY REFERENCES collections (key),
      nonce INTEGER NOT NULL,
      first_change INTEGER NOT NULL,
      expired_until INTEGER NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE changes (
      collection INTEGER NOT NULL,
      number INTEGER NOT NULL,
      id ANY NOT NULL,
      checksum INTEGER NOT NULL,
      PRIMARY KEY (collection, number)
    ) STRICT, WITHOUT ROWID;
    """,
    """
    ALTER TABLE collections ADD COLUMN time_start TEXT;
    ALTER TABLE collections ADD COLUMN time_end TEXT;
    """,
  ]

  /// The version of the schema that this program writes.
  static var version: Int { migrations.count }

  /// Brings a database from version `found` to the current one in one transaction.
  static func migrate(_ connection: Connection, from found: Int) throws(StoreError) {
    guard found < version else { return }
    try connection.transaction { () throws(StoreError) in
      for step in migrations[found...] { try connection.execute(step) }
      try connection.execute("PRAGMA user_version = \(version)")
    }
  }
}
