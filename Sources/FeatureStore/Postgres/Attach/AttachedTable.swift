internal import Texts

/// A table as the database describes it, checked for what attaching it needs.
struct AttachedTable {
  struct Column {
    var name: String
    /// The name of its type, or of that below a domain.
    var type: String
    /// The type with its modifiers.
    var fullType: String
    var isKey: Bool
    var isUnique: Bool
    /// Whether it is a geometry or has some in it, as an array does.
    var holdsGeometry: Bool

    var isGeometry: Bool { ["geometry", "geography"].contains(type) }
    var isNumeric: Bool {
      ["int2", "int4", "int8", "float4", "float8", "numeric"].contains(type)
    }
  }

  /// Where features are.
  enum Position {
    case geometry(Column)
    case columns(longitude: Column, latitude: Column)
  }

  let schema: String
  let name: String
  let id: Column
  let kind: AttachedSource.Kind
  let position: Position
  let properties: [Column]
  let expires: Column?
  /// The schema of PostGIS; nil without it.
  let postgis: String?

  static let facts = PostgresStatement(
    "table",
    """
    SELECT n.nspname::text, c.relname::text, c.relkind::text,
      c.relispartition OR EXISTS (SELECT FROM pg_inherits WHERE inhrelid = c.oid),
      (SELECT e.nspname::text FROM pg_extension AS x JOIN pg_namespace AS e ON e.oid = x.extnamespace
        WHERE x.extname = 'postgis'), c.relpersistence <> 'p'
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = $1::text::oid
    """)

  static let columns = PostgresStatement(
    "columns",
    """
    SELECT a.attname::text, coalesce(b.typname, t.typname)::text, format_type(a.atttypid, a.atttypmod),
      EXISTS (SELECT FROM pg_index AS x WHERE x.indrelid = a.attrelid AND x.indisprimary
        AND x.indnkeyatts = 1 AND x.indkey[0] = a.attnum),
      EXISTS (SELECT FROM pg_index AS x WHERE x.indrelid = a.attrelid AND x.indisunique AND x.indisvalid
        AND x.indimmediate AND x.indpred IS NULL AND x.indexprs IS NULL AND x.indnkeyatts = 1
        AND x.indkey[0] = a.attnum),
      EXISTS (
        WITH RECURSIVE parts (oid) AS (
          SELECT a.atttypid
          UNION
          SELECT n.oid FROM parts AS p JOIN pg_type AS o ON o.oid = p.oid
          CROSS JOIN LATERAL (
            SELECT o.typelem UNION ALL SELECT o.typbasetype
            UNION ALL SELECT m.atttypid FROM pg_attribute AS m WHERE m.attrelid = o.typrelid AND m.attnum > 0) AS n (oid)
          WHERE n.oid <> 0)
        SELECT FROM parts JOIN pg_type AS g USING (oid) WHERE g.typname IN ('geometry', 'geography'))
    FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
    LEFT JOIN pg_type AS b ON b.oid = t.typbasetype
    WHERE a.attrelid = $1::text::oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
    """)

  init(_ facts: PostgresResult, _ columns: PostgresResult, for request: AttachRequest) throws {
    guard let facts = facts.first, let schema = facts.text(0), let name = facts.text(1) else {
      throw AttachFailure("there is no table \(request.table)")
    }
    (self.schema, self.name, postgis) = (schema, name, facts.text(4))
    let table = "\(schema).\(name)"
    guard facts.text(2)?.isSame(as: "r") == true, facts.boolean(3) != true else {
      throw AttachFailure(
        "\(table) is a view, a partition, has partitions, or inherits from a table: changes of it "
          + "can't be seen reliably. Attach the table below it")
    }
    guard facts.boolean(5) != true else {
      throw AttachFailure(
        "\(table) is unlogged or temporary: it is empty after a crash of the server, which nothing tells"
      )
    }
    let all = columns.map { row in
      Column(
        name: row.text(0) ?? "", type: row.text(1) ?? "", fullType: row.text(2) ?? "",
        isKey: row.boolean(3) ?? false, isUnique: row.boolean(4) ?? false,
        holdsGeometry: row.boolean(5) ?? false)
    }
    func column(_ name: String, _ flag: String) throws -> Column {
      if let found = all.first(where: { $0.name.isSame(as: name) }) { return found }
      throw AttachFailure(
        "--\(flag): \(table) has no column \(name), but "
          + all.map(\.name).joined(separator: ", "))
    }
    let id = try request.id.map { try column($0, "id") } ?? all.first { $0.isKey }
    guard let id else {
      throw AttachFailure("\(table) has no primary key of one column; name a unique column by --id")
    }
    guard id.isUnique else {
      throw AttachFailure(
        "\(id.name) has no unique index of its own, by which its rows are told apart and found")
    }
    kind =
      switch id.type {
      case "int2", "int4", "int8": .integer
      case "text", "varchar": .text
      case "uuid": .uuid
      default:
        throw AttachFailure("\(id.name) is of type \(id.fullType); ids are integers, text or uuid")
      }
    self.id = id
    position = try AttachedTable.position(of: all, table, request, column)
    expires = try request.expires.map { try column($0, "expires") }
    if let expires, !["timestamptz", "timestamp", "date"].contains(expires.type) {
      throw AttachFailure("--expires: \(expires.name) is of type \(expires.fullType), not a time")
    }
    if let names = request.properties {
      properties = try names.map { try column($0, "properties") }
    } else {
      let used = [id.name, expires?.name ?? id.name] + position.columns.map(\.name)
      properties = all.filter { column in
        !column.holdsGeometry && !used.contains { column.name.isSame(as: $0) }
      }
    }
    for name in [request.temporal?.columns.start, request.temporal?.columns.end] {
      guard let name, !properties.contains(where: { Array($0.name.utf8) == Array(name.utf8) })
      else { continue }
      throw AttachFailure("--temporal: \(name) is none of the properties that the collection shows")
    }
  }

  private static func position(
    of all: [Column], _ table: String, _ request: AttachRequest,
    _ column: (String, String) throws -> Column
  ) throws -> Position {
    if let names = request.position {
      let (longitude, latitude) = (
        try column(names.longitude, "longitude"), try column(names.latitude, "latitude")
      )
      for column in [longitude, latitude] where !column.isNumeric {
        throw AttachFailure("\(column.name) is of type \(column.fullType), not a number")
      }
      return .columns(longitude: longitude, latitude: latitude)
    }
    let geometries = all.filter(\.isGeometry)
    let chosen =
      try request.geometry.map { try column($0, "geometry") }
      ?? (geometries.count == 1 ? geometries.first : nil)
    guard let chosen else {
      throw AttachFailure(
        "\(table) has \(geometries.count) columns of geometries; name one by --geometry, or two "
          + "columns of numbers by --longitude and --latitude")
    }
    guard chosen.isGeometry else {
      throw AttachFailure(
        "--geometry: \(chosen.name) is of type \(chosen.fullType), not a geometry")
    }
    return .geometry(chosen)
  }
}

extension AttachedTable.Position {
  /// Its columns.
  var columns: [AttachedTable.Column] {
    switch self {
    case .geometry(let column): [column]
    case .columns(let longitude, let latitude): [longitude, latitude]
    }
  }
}
