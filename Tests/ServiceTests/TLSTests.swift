import Glibc
import TestSupport
import Testing

/// HTTPS, by clients of every kind that a library of TLS makes.
///
/// Needs Python and openssl: PINCLUSTER_TEST_PYTHON names the interpreter, and without that variable the tests
/// are skipped (`scripts/test` sets it).
@Suite(.timeLimit(.minutes(5))) struct TLSTests {
  private static let python = getenv("PINCLUSTER_TEST_PYTHON").map { String(cString: $0) }

  @Test(
    .enabled(if: python != nil, "PINCLUSTER_TEST_PYTHON is not set"),
    arguments: ["protocols", "reload", "tickets", "clients", "attacks", "turns", "traffic"])
  func `the service is a good server of TLS`(to part: String) throws {
    let python = try #require(TLSTests.python)
    let binary = try #require(ServerBinary.path())
    let script = Fixtures.root + "/Tests/ServiceTests/TLS/cases.py"
    let cases = try ChildProcess(python, [script, binary, part])
    #expect(cases.waitForExit(seconds: 200) == .code(0))
    #expect(cases.standardError == "")
    #expect(cases.standardOutput == "")
  }
}
