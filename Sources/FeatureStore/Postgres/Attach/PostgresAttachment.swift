internal import Texts

/// Attaches tables to a shared store, and detaches them.
public struct PostgresAttachment {
  private let connection: PostgresConnection
  private let schema: String
  /// The role of the service, which owns the tables of the store.
  private let owner: String

  /// Connects as a role that may attach tables.
  ///
  /// - Throws: ``StoreError`` if the database can't be reached, or ``AttachFailure`` if it has no tables of this
  ///   version.
  public init(_ configuration: PostgresStore.Configuration) throws {
    connection = try PostgresServers(configuration).connect()
    schema = configuration.schema
    let found = try connection.once(
      "SELECT pg_get_userbyid(relowner)::text FROM pg_class WHERE oid = to_regclass($1)",
      SQLText.quoted("store", in: configuration.schema))
    guard let owner = found?.first?.text(0) else {
      throw AttachFailure(
        "\(configuration.address.name) has no tables of pincluster in the schema \(schema): "
          + "start an instance with this --store first")
    }
    self.owner = owner
    let version = try one("SELECT version::text FROM store").flatMap { Int($0) }
    guard version == PostgresSchema.version else {
      throw AttachFailure("the tables of the schema \(schema) are of another version of pincluster")
    }
  }

  /// The result of attaching a table.
  public struct Outcome {
    /// The table, with its schema.
    public let table: String
    /// The number of its rows, and of those that are features.
    public let (rows, features): (Int64, Int64)
  }

  /// The SQL that attaches a table.
  ///
  /// - Throws: ``AttachFailure`` if the table can't be attached as requested.
  public func script(for request: AttachRequest) throws -> [String] {
    ["BEGIN"] + (try plan(request)).statements + ["COMMIT"]
  }

  /// Makes a collection of a table.
  ///
  /// - Throws: ``AttachFailure`` if the table can't be attached as requested, or ``StoreError``.
  public func attach(_ request: AttachRequest) throws -> Outcome {
    let script = try plan(request)
    try run(script.statements)
    let (table, source) = (
      SQLText.quoted(script.table.name, in: script.table.schema),
      SQLText.quoted(AttachedSource(key: script.key, kind: script.table.kind).name, in: schema)
    )
    let counts = try connection.once(
      "SELECT (SELECT count(*) FROM ONLY \(table)), (SELECT count(*) FROM \(source))",
      within: 3600)?.first
    return Outcome(
      table: "\(script.table.schema).\(script.table.name)", rows: counts?.integer(0) ?? 0,
      features: counts?.integer(1) ?? 0)
  }

  private func plan(_ request: AttachRequest) throws -> AttachScript {
    if let source = try one(
      "SELECT coalesce(source, '') FROM collections WHERE id = $1", request.collection)
    {
      throw AttachFailure(
        source.isEmpty
          ? "there is a collection \(request.collection) already"
          : "\(request.collection) is attached already; pincluster detach ends that")
    }
    guard let table = try find(request.table) else {
      throw AttachFailure("there is no table \(request.table)")
    }
    let answers = try connection.run([
      AttachedTable.facts.with { $0.add(table) }, AttachedTable.columns.with { $0.add(table) },
    ])
    let found = try AttachedTable(answers[0], answers[1], for: request)
    guard
      let key = try one(
        "SELECT nextval(pg_get_serial_sequence($1, 'key'))::text",
        SQLText.quoted("collections", in: schema)
      ).flatMap({ Int64($0) })
    else { throw AttachFailure("the schema \(schema) gives no keys") }
    return AttachScript(table: found, request: request, key: key, schema: schema, owner: owner)
  }

  /// The number of a table, by its name as in SQL or as it is.
  private func find(_ name: String) throws -> String? {
    _ = try one(
      "SELECT set_config('search_path', (SELECT reset_val FROM pg_settings WHERE name = 'search_path'), false)"
    )
    defer {
      _ = try? one("SELECT set_config('search_path', $1, false)", SQLText.quoted(schema))
    }
    let sql = "SELECT to_regclass($1)::oid::text"
    if let found = try? one(sql, name) { return found }
    let (first, second) = name.cut(at: UInt8(ascii: "."))
    let parts = [first, second].compactMap { $0.map { SQLText.quoted(String($0)) } }
    do { return try one(sql, parts.joined(separator: ".")) } catch let error as StoreError {
      throw explained(error)
    }
  }

  /// Detaches a table from a collection: drops the collection, with the view, the functions and the triggers that were
  /// made for it. Returns the table; nil if it isn't there any more.
  ///
  /// - Throws: ``AttachFailure`` if the collection shows no table, or ``StoreError``.
  public func detach(_ collection: String) throws -> String? {
    let found = try connection.once(
      "SELECT key, source FROM collections WHERE id = $1", collection)?.first
    guard let key = found?.integer(0) else {
      throw AttachFailure("there is no collection \(collection)")
    }
    guard let source = found?.text(1) else {
      throw AttachFailure("\(collection) isn't attached to a table")
    }
    let function = SQLText.quoted(AttachScript.triggerFunction(key), in: schema)
    let table = try one(
      """
      SELECT min(format('%I.%I', n.nspname, c.relname)) FROM pg_trigger AS t
      JOIN pg_class AS c ON c.oid = t.tgrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE t.tgfoid = to_regproc($1)
      """, function)
    func own(_ name: String) -> String { SQLText.quoted(name, in: schema) }
    var statements = ["DROP VIEW IF EXISTS \(own(source))"]
    if let table {
      statements += AttachScript.triggers(key, schema).map {
        "DROP TRIGGER IF EXISTS \(SQLText.quoted($0.name)) ON \(table)"
      }
    }
    statements += [
      "DROP FUNCTION IF EXISTS \(function)",
      "DROP FUNCTION IF EXISTS \(own(AttachScript.pointFunction(key)))",
      "SET LOCAL ROLE \(SQLText.quoted(owner))",
      "SELECT key FROM collections WHERE key = \(key) FOR UPDATE",
      """
      UPDATE store SET floor = greatest(floor, (SELECT version + 1 FROM collections WHERE key = \(key)))
      """,
      "DELETE FROM pending WHERE collection = \(key)",
      "DELETE FROM changes WHERE collection = \(key)",
      "DELETE FROM collections WHERE key = \(key)",
      "SELECT pg_notify(\(SQLText.literal(PostgresStore.channel(of: schema))), '\(key)')",
    ]
    try run(statements)
    return table
  }

  // MARK: Running

  /// The first value of an answer, which has to be a text.
  private func one(_ sql: String, _ parameter: String? = nil) throws -> String? {
    try connection.once(sql, parameter)?.first?.text(0)
  }

  /// Runs statements in a transaction.
  private func run(_ statements: [String]) throws {
    do {
      for sql in ["BEGIN"] + statements + ["COMMIT"] {
        try connection.once(sql, within: 60)
      }
    } catch {
      connection.rollBack()
      throw explained(error)
    }
  }

  /// An error with its remedy.
  private func explained(_ error: StoreError) -> any Error {
    switch error {
    case .readOnly(let reason):
      AttachFailure(
        "\(reason). It takes the table's owner as a member of \(owner) (GRANT \(owner) TO …), or a superuser"
      )
    case .away(let reason) where !connection.isLost:
      AttachFailure(
        "\(reason). Others use the table for longer than 5 s; try again when they have ended")
    default: error
    }
  }
}

/// Which table is to be attached, and what of it.
public struct AttachRequest: Sendable {
  /// The collection that is made of it.
  public var collection: String
  /// The table's name, with its schema or to be looked for in the search path.
  public var table: String
  /// The column of ids; the primary key if nil.
  public var id: String?
  /// The column of geometries; the only one if nil.
  public var geometry: String?
  /// The columns of longitudes and latitudes, instead of geometries.
  public var position: (longitude: String, latitude: String)?
  /// The columns that become properties; all others if nil.
  public var properties: [String]?
  /// The column of the times at which features expire.
  public var expires: String?
  /// The title and description of the collection.
  public var (title, description): (String?, String?) = (nil, nil)
  /// The properties that say when features were or are.
  public var temporal: TemporalProperties?

  /// Names a collection and a table.
  public init(collection: String, table: String) {
    (self.collection, self.table) = (collection, table)
  }
}

/// Why a table can't be attached or detached: a sentence of one line for people.
public struct AttachFailure: Error, CustomStringConvertible {
  /// The sentence.
  public let description: String

  init(_ description: String) { self.description = description }
}
