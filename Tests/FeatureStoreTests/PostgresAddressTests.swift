import Testing

@testable import FeatureStore

/// Addresses of databases, and what is told of them.
@Suite(.timeLimit(.minutes(5))) struct PostgresAddressTests {
  @Test(arguments: [
    ("postgresql://u:s3cret@h:5433/d", "postgresql://h:5433/d"),
    ("postgresql://u:s3%40cret@h/d", "postgresql://h/d"),
    ("postgresql://u:s3cret@a:1,b:2/d", "postgresql://a:1,b:2/d"),
    ("host=/run/a@b user=u password='s3@cret' dbname=d", "postgresql:///run/a@b/d"),
    ("host=@abstract dbname=d", "postgresql://@abstract/d"),
  ])
  func `an address is named without a password`(text: String, name: String) throws {
    #expect(try PostgresAddress(text).name == name)
  }

  @Test(arguments: [
    ("postgresql://u:s3@cret@h/d", "%40"), ("postgresql://u@x:s3cret@a,b/d", "%40"),
    ("http://u:s3cret@h/d", "form"), ("postgresql://u:s3cret@h/d?service=x", "service"),
    ("host=a,b port=1,2,3 dbname=d", "equally"),
  ])
  func `what is none is refused without its text`(text: String, reason: String) throws {
    let error = try #require(throws: PostgresAddress.Invalid.self) { try PostgresAddress(text) }
    #expect(error.reason.contains(reason) && !error.reason.contains("cret"), "\(error.reason)")
  }
}
