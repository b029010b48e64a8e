import ClusterCore
import Glibc
import TestSupport
import Testing

@testable import FeatureStore

/// The database of the superuser; nil without one.
private let admin = getenv("PINCLUSTER_TEST_POSTGRES_ADMIN").map { String(cString: $0) }

/// Tables that are attached with rows, columns and names of unusual kinds.
@Suite(
  .timeLimit(.minutes(5)),
  .enabled(if: admin != nil, "PINCLUSTER_TEST_POSTGRES_ADMIN names no database"))
struct AttachTests {
  /// An instance, and a schema of tables of somebody else.
  private final class Room {
    let replica: Replica
    let connection: PostgresConnection
    let attachment: PostgresAttachment
    let own: String

    init(_ name: String) throws {
      let name = "\(name)\(UInt32.random(in: .min ... .max))"
      replica = try Replica(name)
      own = "own_\(name)"
      let configuration = PostgresStore.Configuration(
        address: try PostgresAddress(admin ?? ""),
        schema: replica.store.configuration.schema, directory: nil)
      connection = try PostgresServers(configuration).connect()
      attachment = try PostgresAttachment(configuration)
      try connection.once("CREATE SCHEMA \(own)")
    }

    deinit {
      _ = try? connection.once("DROP SCHEMA \(own) CASCADE")
      replica.dropSchema()
    }

    /// Attaches a table with columns of coordinates, or with a geometry.
    func attach(_ table: String, hasGeometry: Bool = false, expires: String? = nil) throws {
      var request = AttachRequest(collection: table, table: "\(own).\(table)")
      if !hasGeometry { request.position = ("lon", "lat") }
      request.expires = expires
      _ = try attachment.attach(request)
    }

    /// The ids that the instance shows.
    func shown(_ table: String) -> [String] {
      replica.plain(table).map { $0.id?.description ?? "" }.sorted()
    }

    /// Whether the instance comes to show features with these ids.
    func shows(_ table: String, _ ids: String...) throws -> Bool {
      try eventually {
        try replica.follow()
        return shown(table) == ids.sorted()
      }
    }
  }

  private static let axes = "lon float8 DEFAULT 1, lat float8 DEFAULT 2"

  @Test(arguments: ["new", "old", "found", "tg_op", "tg_name", "number", "r"])
  func `an id column may be called anything`(_ name: String) throws {
    let room = try Room("name")
    try room.connection.once(
      "CREATE TABLE \(room.own).t (\"\(name)\" int PRIMARY KEY, \(Self.axes))")
    try room.attach("t")
    try room.connection.once("INSERT INTO \(room.own).t VALUES (1), (2), (3)")
    try room.connection.once("UPDATE \(room.own).t SET \"\(name)\" = 4 WHERE \"\(name)\" = 3")
    try room.connection.once("DELETE FROM \(room.own).t WHERE \"\(name)\" = 1")
    #expect(try room.shows("t", "2", "4"))
  }

  @Test func `ids that a collation takes for the same are different`() throws {
    let room = try Room("collation")
    try room.connection.once(
      "CREATE COLLATION \(room.own).ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
    )
    try room.connection.once(
      "CREATE TABLE \(room.own).t (id text COLLATE \(room.own).ci PRIMARY KEY, \(Self.axes))")
    try room.connection.once(
      "INSERT INTO \(room.own).t VALUES ('berlin'), ('paris'), ('.'), ('..')")
    try room.attach("t")
    #expect(try room.shows("t", "berlin", "paris"))
    try room.connection.once("UPDATE \(room.own).t SET id = 'Berlin' WHERE id = 'berlin'")
    #expect(try room.shows("t", "Berlin", "paris"))
  }

  @Test(arguments: ["date", "timestamp", "timestamptz"])
  func `times far away are never, or long ago`(_ type: String) throws {
    let room = try Room("far")
    try room.connection.once(
      "CREATE TABLE \(room.own).t (id int PRIMARY KEY, \(Self.axes), until \(type))")
    try room.attach("t", expires: "until")
    try room.connection.once("INSERT INTO \(room.own).t (id) VALUES (1)")
    for (id, time) in [
      (2, "infinity"), (3, "-infinity"), (4, "290000-12-31"), (5, "0002-01-01 BC"),
      (6, "9999-12-31"),
      (7, "2999-01-01"), (8, "1999-01-01"),
    ] {
      try room.connection.once("INSERT INTO \(room.own).t (id, until) VALUES (\(id), '\(time)')")
    }
    if type == "date" {
      try room.connection.once("INSERT INTO \(room.own).t (id, until) VALUES (9, '999999-12-31')")
      #expect(try room.shows("t", "1", "2", "4", "6", "7", "9"))
    } else {
      #expect(try room.shows("t", "1", "2", "4", "6", "7"))
    }
  }

  @Test func `all tables may be published`() throws {
    let room = try Room("published")
    try room.connection.once("CREATE TABLE \(room.own).t (id int PRIMARY KEY, \(Self.axes))")
    try room.attach("t")
    try room.connection.once("CREATE PUBLICATION p\(getpid()) FOR ALL TABLES")
    defer { _ = try? room.connection.once("DROP PUBLICATION p\(getpid())") }
    try room.connection.once("INSERT INTO \(room.own).t VALUES (1), (2)")
    #expect(try room.shows("t", "1", "2"))
  }

  @Test func `a table that a crash empties isn't attached`() throws {
    let room = try Room("unlogged")
    try room.connection.once(
      "CREATE UNLOGGED TABLE \(room.own).t (id int PRIMARY KEY, \(Self.axes))")
    #expect(throws: AttachFailure.self) { try room.attach("t") }
  }

  @Test func `shapes with empty parts and numbers that are none`() throws {
    let room = try Room("shapes")
    guard
      try room.connection.once("SELECT to_regtype('postgis.geometry') IS NOT NULL")?.isTrue == true
    else { return print("SKIPPED: PostGIS isn't installed") }
    try room.connection.once(
      "CREATE TABLE \(room.own).t (id int PRIMARY KEY, g postgis.geometry, more postgis.geometry[])"
    )
    try room.attach("t", hasGeometry: true)
    let shapes: [(String, Bool)] = [
      ("MULTIPOINT(EMPTY,(1 2))", true), ("MULTIPOINT((1 2),EMPTY)", true),
      ("GEOMETRYCOLLECTION(POINT EMPTY,POINT(1 2))", true),
      ("GEOMETRYCOLLECTION(LINESTRING EMPTY,POINT(1 2))", true),
      ("GEOMETRYCOLLECTION(MULTIPOINT(EMPTY,(1 2)))", true),
      ("MULTILINESTRING(EMPTY,(1 2,3 4))", true),
      ("MULTIPOLYGON(EMPTY,((0 0,4 0,4 4,0 4,0 0)))", true), ("MULTIPOINT EMPTY", false),
      ("GEOMETRYCOLLECTION EMPTY", false), ("MULTIPOINT(EMPTY,EMPTY)", false),
      ("POLYGON EMPTY", false),
      ("MULTIPOINT(50 NaN,60 50)", false), ("POLYGON((50 10,60 10,60 20,NaN NaN,50 10))", false),
      ("LINESTRING(50 50,NaN 51)", false),
      ("POINT(NaN 2)", false),
      ("LINESTRING(1 2,3 4)", true), ("POLYGON((0 0,4 0,4 4,0 4,0 0))", true), ("POINT(7 8)", true),
    ]
    for (number, (text, _)) in shapes.enumerated() {
      try room.connection.once(
        "INSERT INTO \(room.own).t VALUES (\(number), '\(text)', ARRAY['POINT(NaN 2)'::postgis.geometry])"
      )
    }
    try room.connection.once(
      "INSERT INTO \(room.own).t VALUES (99, postgis.ST_MakeLine(postgis.ST_MakePoint(1, 2), "
        + "postgis.ST_MakePoint('Infinity', 2)))")
    let expected = shapes.indices.filter { shapes[$0].1 }.map { "\($0)" }
    let isShown = try eventually {
      try room.replica.follow()
      return room.shown("t") == expected.sorted()
    }
    #expect(isShown, "\(room.shown("t"))")
    #expect(room.replica.plain("t").allSatisfy { $0.properties == Array("{}".utf8) })
  }
}
