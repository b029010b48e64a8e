import ClusterCore
internal import Texts

/// The SQL that attaches a table, to be run as one transaction by a role that may create triggers on it and is a member
/// of the service's role.
struct AttachScript {
  let table: AttachedTable
  let request: AttachRequest
  let key: Int64
  /// The schema of the store, and the role of the service, which owns it.
  let schema: String
  let owner: String

  private var source: AttachedSource { AttachedSource(key: key, kind: table.kind) }
  private var target: String {
    SQLText.quoted(table.name, in: table.schema)
  }
  private func own(_ name: String) -> String { SQLText.quoted(name, in: schema) }

  /// The names of the triggers, with their purpose.
  static func triggers(_ key: Int64, _ schema: String) -> [(name: String, event: String)] {
    ["INSERT", "UPDATE", "DELETE", "TRUNCATE"].map {
      ("\(schema)_\(key)_\($0.lowercasedASCII)", $0)
    }
  }

  static func triggerFunction(_ key: Int64) -> String { "attached_\(key)" }
  static func pointFunction(_ key: Int64) -> String { "attached_\(key)_point" }

  /// The statements, without those that begin and end the transaction.
  var statements: [String] {
    var statements = [
      "SET LOCAL standard_conforming_strings = on", "SET LOCAL lock_timeout = '5s'",
      "SET LOCAL ROLE \(SQLText.quoted(owner))", function,
      identity,
    ]
    statements += collection
    statements.append("SET LOCAL ROLE NONE")
    if let point { statements.append(point) }
    statements += [
      view, "GRANT SELECT ON \(own(source.name)) TO \(SQLText.quoted(owner))",
    ]
    // These come last: from here on others can't write to the table.
    return statements + triggers
  }

  /// Without a key its rows couldn't be deleted where all tables are published. Once is enough, as it waits for all that
  /// write to attached tables.
  private var identity: String {
    let body = """
      BEGIN
        IF (SELECT relreplident FROM pg_class WHERE oid = \(SQLText.literal(own("pending")))::regclass) <> 'f' THEN
          ALTER TABLE \(own("pending")) REPLICA IDENTITY FULL;
        END IF;
      END
      """
    return "DO \(SQLText.literal(body))"
  }

  // MARK: Ids

  private static let safe = "-9007199254740991 AND 9007199254740991"
  private static let largest = "9223372036854775807::bigint"

  /// The columns `number` and `name` of a row, and a condition for rows that have an id.
  private func id(_ row: String) -> (number: String, name: String, isText: String, isValid: String)
  {
    let column = "\(row).\(SQLText.quoted(table.id.name))"
    switch table.kind {
    case .integer where table.id.type != "int8":
      return ("\(column)::bigint", "''::text", "false", "\(column) IS NOT NULL")
    case .integer:
      let isSafe = "\(column) BETWEEN \(AttachScript.safe)"
      return (
        "CASE WHEN \(isSafe) THEN \(column)::bigint ELSE \(AttachScript.largest) END",
        "CASE WHEN \(isSafe) THEN '' ELSE \(column)::text END", "NOT (\(isSafe))",
        "\(column) IS NOT NULL"
      )
    case .uuid:
      return (AttachScript.largest, "\(column)::text", "true", "\(column) IS NOT NULL")
    case .text:
      let text = "(\(column)::text COLLATE \"C\")"
      let isNumber = """
        CASE WHEN \(text) ~ '^(0|-?[1-9][0-9]{0,15})$' THEN \(text)::bigint BETWEEN \(AttachScript.safe) ELSE false END
        """
      return (
        "CASE WHEN \(isNumber) THEN \(text)::bigint ELSE \(AttachScript.largest) END",
        "CASE WHEN \(isNumber) THEN '' ELSE \(text) END", "true",
        "\(text) <> '' AND char_length(\(text)) <= \(FeatureID.maximumCharacters) "
          + "AND \(text) NOT IN ('.', '..') AND \(text) !~ '[\\u0001-\\u001f\\u007f-\\u009f]'"
      )
    }
  }

  // MARK: The view

  private var view: String {
    let id = id("t")
    let name = { (column: AttachedTable.Column) in "t.\(SQLText.quoted(column.name))" }
    let properties = table.properties.map {
      "\(name($0)) AS \(SQLText.quoted($0.name))"
    }.joined(separator: ", ")
    let json =
      properties.isEmpty
      ? "'{}'::text" : "(SELECT row_to_json(r.*)::text FROM (SELECT \(properties)) AS r)"
    var (expiry, isLiving) = ("NULL::bigint", "")
    if let expires = table.expires {
      let (column, far) = (name(expires), ("'infinity'::timestamptz", "'-infinity'::timestamptz"))
      let time =
        switch expires.type {
        case "timestamptz": column
        // A date far away can't be converted.
        case "date":
          "(CASE WHEN \(column)::date > '9999-12-31' THEN \(far.0) WHEN \(column)::date < '0001-01-01' THEN \(far.1) "
            + "ELSE \(column)::timestamp AT TIME ZONE 'UTC' END)"
        default: "(\(column)::timestamp AT TIME ZONE 'UTC')"
        }
      expiry = """
        CASE WHEN \(time) < 'infinity' AND \(time) > '-infinity' THEN
            least(floor(extract(epoch FROM \(time)) * 1000), \(FeatureRecord.expiryRange.upperBound))::bigint END
        """
      isLiving = "\n  AND (\(time) IS NULL OR \(time) > now())"
    }
    return """
      CREATE VIEW \(own(source.name)) AS
      SELECT \(key)::bigint AS collection, \(id.number) AS number, (\(id.name)) COLLATE "C" AS name,
        \(id.isText) AS written_as_text, p.x + 0.0 AS longitude, p.y + 0.0 AS latitude,
        CASE WHEN p.z > '-Infinity' AND p.z < 'Infinity' THEN float8send(p.z) END AS further,
        \(json) AS properties,
        \(expiry) AS expires, NULL::bigint AS checksum, t.\(SQLText.quoted(table.id.name)) AS row_id
      FROM ONLY \(target) AS t
      CROSS JOIN LATERAL (\(position)) AS p
      WHERE p.x BETWEEN -180 AND 180 AND p.y BETWEEN -90 AND 90 AND \(id.isValid)\(isLiving)
      """
  }

  /// The columns x, y and z of a row, NULL where it has no point.
  private var position: String {
    func quoted(_ column: AttachedTable.Column) -> String {
      "t.\(SQLText.quoted(column.name))"
    }
    switch table.position {
    case .columns(let longitude, let latitude):
      func degrees(_ column: AttachedTable.Column, _ most: Int) -> String {
        // A value far out of range, or with too many digits, can't be converted.
        column.type == "numeric"
          ? "CASE WHEN \(quoted(column)) BETWEEN -\(most) AND \(most) THEN round(\(quoted(column)), 20)::double precision END"
          : "\(quoted(column))::double precision"
      }
      return "SELECT \(degrees(longitude, 180)) AS x, \(degrees(latitude, 90)) AS y, "
        + "NULL::double precision AS z OFFSET 0"
    case .geometry(let column):
      let postgis = SQLText.quoted(table.postgis ?? "public")
      let whole =
        column.type == "geometry"
        ? quoted(column) : "\(quoted(column))::\(postgis).geometry"
      let made = "\(own(AttachScript.pointFunction(key)))(\(whole))"
      let point =
        isPoint
        ? whole
        : """
        CASE WHEN \(postgis).ST_SRID(\(whole)) IN (0, 4326) AND \(postgis).GeometryType(\(whole)) IN ('POINT', 'POINTM')
            THEN \(whole) ELSE \(made) END
        """
      return """
        SELECT \(postgis).ST_X(q.g) AS x, \(postgis).ST_Y(q.g) AS y, \(postgis).ST_Z(q.g) AS z
          FROM (SELECT \(point) AS g OFFSET 0) AS q OFFSET 0
        """
    }
  }

  /// Whether the column's type says that there are points by longitude and latitude only.
  private var isPoint: Bool {
    guard case .geometry(let column) = table.position else { return false }
    return ["Point", "PointZ", "PointM", "PointZM"].contains {
      column.fullType.ends(with: "(\($0),4326)")
    }
  }

  /// A function that makes a point by longitude and latitude of any geometry, or NULL where that can't be done.
  private var point: String? {
    guard case .geometry = table.position, !isPoint else { return nil }
    let postgis = SQLText.quoted(table.postgis ?? "public")
    let body = """

      DECLARE
        p \(postgis).geometry := g;
      BEGIN
        IF \(postgis).GeometryType(p) NOT IN ('POINT', 'POINTM') THEN
          -- Numbers that are none make points anywhere. NaN is greater than all numbers.
          IF EXISTS (SELECT FROM \(postgis).ST_DumpPoints(p) AS d
            WHERE NOT (\(postgis).ST_X(d.geom) > '-Infinity' AND \(postgis).ST_X(d.geom) < 'Infinity'
              AND \(postgis).ST_Y(d.geom) > '-Infinity' AND \(postgis).ST_Y(d.geom) < 'Infinity')) THEN
            RETURN NULL;
          END IF;
          -- GEOS 3.11 crashes at parts that are empty, and the whole server with it.
          IF \(postgis).ST_NumGeometries(p) > 1 OR \(postgis).GeometryType(p) LIKE 'GEOMETRYCOLLECTION%' THEN
            p := (SELECT \(postgis).ST_SetSRID(\(postgis).ST_Collect(d.geom), \(postgis).ST_SRID(g))
              FROM \(postgis).ST_Dump(p) AS d WHERE NOT \(postgis).ST_IsEmpty(d.geom));
          END IF;
          p := \(postgis).ST_PointOnSurface(p);
        END IF;
        IF \(postgis).ST_SRID(p) NOT IN (0, 4326) THEN
          p := \(postgis).ST_Transform(p, 4326);
        END IF;
        RETURN p;
      EXCEPTION WHEN OTHERS THEN
        RETURN NULL;
      END
      """
    return """
      CREATE FUNCTION \(own(AttachScript.pointFunction(key)))(g \(postgis).geometry) RETURNS \(postgis).geometry
      LANGUAGE plpgsql STRICT STABLE SECURITY DEFINER
      SET search_path = pg_catalog, pg_temp AS \(SQLText.literal(body))
      """
  }

  // MARK: Changes

  /// The most rows of a statement that are noted one by one.
  private static let mostRows = 100_000

  private var function: String {
    func note(_ rows: String, _ tables: [String]) -> String {
      let id = id("r")
      let column = SQLText.quoted(table.id.name)
      let from = tables.map { "SELECT \(column) FROM \($0)" }.joined(separator: " UNION ALL ")
      return """
          IF (SELECT count(*) FROM (SELECT FROM \(rows) LIMIT \(AttachScript.mostRows + 1)) AS n) > \(AttachScript.mostRows) THEN
            \(everything);
          ELSE
            INSERT INTO \(own("pending")) (collection, number, name)
            SELECT DISTINCT \(key), \(id.number), (\(id.name)) COLLATE "C" FROM (\(from)) AS r WHERE \(id.isValid);
          END IF;
        """
    }
    let everything =
      "INSERT INTO \(own("pending")) (collection, number, name) VALUES (\(key), \(AttachedQueries.everything), '')"
    let body = """

      #variable_conflict use_column
      BEGIN
        IF TG_OP = 'INSERT' THEN
      \(note("new_rows", ["new_rows"]))
        ELSIF TG_OP = 'UPDATE' THEN
      \(note("new_rows", ["old_rows", "new_rows"]))
        ELSIF TG_OP = 'DELETE' THEN
      \(note("old_rows", ["old_rows"]))
        ELSE
          \(everything);
        END IF;
        RETURN NULL;
      END
      """
    return """
      CREATE FUNCTION \(own(AttachScript.triggerFunction(key)))() RETURNS trigger
      LANGUAGE plpgsql SECURITY DEFINER
      SET search_path = pg_catalog, pg_temp AS \(SQLText.literal(body))
      """
  }

  private var triggers: [String] {
    AttachScript.triggers(key, schema).map { name, event in
      let rows =
        switch event {
        case "INSERT": " REFERENCING NEW TABLE AS new_rows"
        case "UPDATE": " REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows"
        case "DELETE": " REFERENCING OLD TABLE AS old_rows"
        default: ""
        }
      return """
        CREATE TRIGGER \(SQLText.quoted(name)) AFTER \(event) ON \(target)\(rows)
        FOR EACH STATEMENT EXECUTE FUNCTION \(own(AttachScript.triggerFunction(key)))()
        """
    }
  }

  // MARK: The collection

  private var collection: [String] {
    func bytes(_ text: String?) -> String {
      text.map { "convert_to(\(SQLText.literal($0)), 'UTF8')" } ?? "NULL"
    }
    let id = SQLText.literal(request.collection)
    let token = Int64.random(in: 0 ... .max)
    return [
      """
      INSERT INTO \(own("collections")) (key, id, title, description, version, token, source, time_start, time_end)
      OVERRIDING SYSTEM VALUE
      SELECT \(key), \(id), \(bytes(request.title)), \(bytes(request.description)), s.floor + 1, \(token),
        \(SQLText.literal(source.name)), \(bytes(request.temporal?.columns.start)), \(bytes(request.temporal?.columns.end))
      FROM (SELECT floor FROM \(own("store")) FOR SHARE) AS s
      """,
      """
      INSERT INTO \(own("changes")) (collection, version, at, token, numbers, names)
      SELECT key, version, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, token, '{}', '{}'
      FROM \(own("collections")) WHERE key = \(key)
      """,
      "SELECT pg_notify(\(SQLText.literal(PostgresStore.channel(of: schema))), '\(key)')",
    ]
  }
}
