import ClusterCore
import Glibc
import TestSupport
import Testing

@testable import FeatureStore

/// Names of columns that mean something in SQL, beside marks with which Swift takes a quote for another character.
@Suite(.timeLimit(.minutes(5))) struct AttachNameTests {
  private static let admin = getenv("PINCLUSTER_TEST_POSTGRES_ADMIN").map { String(cString: $0) }

  @Test func `every quote is doubled, whatever is beside it`() {
    let marks = [
      "", "\u{600}", "\u{301}", "\u{200D}", "\u{FE0F}", "\u{1F3FB}", "\u{1F1E6}", "\r", "\n",
    ]
    for before in marks {
      for after in marks {
        for quote in ["\"", "'"] {
          let text = "a\(before)\(quote)\(after)\(quote)b\(before)\(quote)"
          let written = quote == "'" ? SQLText.literal(text) : SQLText.quoted(text)
          let mark = Array(quote.utf8)[0]
          let expected = [mark] + text.utf8.flatMap { $0 == mark ? [mark, mark] : [$0] } + [mark]
          #expect(Array(written.utf8) == expected, "\(text.debugDescription)")
        }
      }
    }
  }

  @Test(.enabled(if: admin != nil, "PINCLUSTER_TEST_POSTGRES_ADMIN names no database"))
  func `the name of a column is not read as SQL`() throws {
    let replica = try Replica("names\(getpid())")
    defer { replica.dropSchema() }
    let schema = replica.store.configuration.schema
    let configuration = PostgresStore.Configuration(
      address: try PostgresAddress(Self.admin ?? ""), schema: schema, directory: nil)
    let connection = try PostgresServers(configuration).connect()
    let own = "own\(getpid())"
    defer { _ = try? connection.once("DROP SCHEMA \(own) CASCADE") }
    // The name of one column is that of another, and then what reads a secret in the rights of who attaches.
    let names = [
      "a\u{600}", "a\u{600}\"||(SELECT v FROM \(own).k)s)r)properties,--", "b\u{600}'\u{301}",
      "\u{E9}", "e\u{301}",
    ]
    func quoted(_ name: String) -> String {
      let bytes = name.utf8.flatMap { $0 == UInt8(ascii: "\"") ? [$0, $0] : [$0] }
      return "\"\(String(decoding: bytes, as: UTF8.self))\""
    }
    for sql in [
      "CREATE SCHEMA \(own)", "CREATE TABLE \(own).k (v text)",
      "INSERT INTO \(own).k VALUES ('of the superuser')",
      """
      CREATE TABLE \(own).t (id int PRIMARY KEY, lon float8, lat float8,
        \(names.map { "\(quoted($0)) text" }.joined(separator: ", ")))
      """,
      "INSERT INTO \(own).t VALUES (1, 2, 3, \(names.indices.map { "'v\($0)'" }.joined(separator: ",")))",
    ] {
      try connection.once(sql)
    }
    let attachment = try PostgresAttachment(configuration)
    func properties(_ request: AttachRequest) throws -> [UInt8] {
      _ = try attachment.attach(request)
      try replica.follow()
      return try #require(replica.plain(request.collection).first).properties
    }
    func expected(_ numbers: [Int]) -> [UInt8] {
      let members = numbers.map { "\(TestJSON.string(names[$0]).text):\"v\($0)\"" }
      return Array("{\(members.joined(separator: ","))}".utf8)
    }
    var request = AttachRequest(collection: "all", table: "\(own).t")
    request.position = ("lon", "lat")
    #expect(try properties(request) == expected(Array(names.indices)))
    // One of two columns whose names look the same.
    for number in [3, 4] {
      var one = AttachRequest(collection: "one\(number)", table: "\(own).t")
      one.position = ("lon", "lat")
      one.properties = [names[number]]
      #expect(try properties(one) == expected([number]))
    }
  }
}
