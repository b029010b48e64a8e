/// The tables, and the steps that lead from one version of them to the next.
///
/// `features` is keyed by (collection, id) and has no row id: the rows lie in the order in which
/// they are read, and there is one tree to write. Its `id` has the type ANY, which in a STRICT
/// table converts nothing: an integer stays one and text stays text, and SQLite orders integers by
/// value before text by its bytes, as ``FeatureID`` does. `position` is a blob of little-endian
/// doubles (longitude, latitude, further ordinates), since a REAL column stores integral values as
/// integers and loses the sign of −0.0. `expires` and `ttl` are in milliseconds, `checksum` is that of
/// ``RowChecksum``; rows of collections that are older than checksums may have none.
/// `store.version` is a ceiling that no version passes, while the store is open and after a crash, and
/// the last version itself once it was closed. `snapshots` and `changes` are those of ``ChangeLog``.
enum Schema {
  /// "PinC" in ASCII: tells `file` and us whose database it is.
  static let applicationID: Int64 = 0x5069_6E43

  /// The step at index n leads from version n to n + 1. Released steps are never edited.
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
  ]

  /// The version that this program writes.
  static var version: Int { migrations.count }

  /// Brings a database from `found` to the current version in one transaction.
  static func migrate(_ connection: Connection, from found: Int) throws(StoreError) {
    guard found < version else { return }
    try connection.transaction { () throws(StoreError) in
      for step in migrations[found...] { try connection.execute(step) }
      try connection.execute("PRAGMA user_version = \(version)")
    }
  }
}
