import Glibc
import TestSupport
import Testing

/// The commands and links of the Markdown pages.
///
/// Needs Python: PINCLUSTER_TEST_PYTHON names its interpreter, and without that variable the tests
/// are skipped (`scripts/test` sets it).
@Suite(.timeLimit(.minutes(5))) struct PageTests {
  private static let python = getenv("PINCLUSTER_TEST_PYTHON").map { String(cString: $0) }
  private static let isEnabled = python != nil

  @Test(.enabled(if: isEnabled, "PINCLUSTER_TEST_PYTHON is not set"))
  func everyCommandSucceeds() throws {
    let cities = try #require(Fixtures.path(named: "cities15000.csv"))
    let binary = try #require(ServerBinary.path())
    let data = try TemporaryDirectory()
    try Tool(["import", cities, "--collection", "cities", "--data", data.path]).expectSuccess()
    let server = try ServerProcess.ready(data: data)
    try check(["run", server.url, binary])
    server.expectHealthy()
  }

  @Test(.enabled(if: isEnabled, "PINCLUSTER_TEST_PYTHON is not set"))
  func everyLinkAndPathExists() throws {
    try check(["links"])
  }

  /// Runs `pages.py`, which must find no fault.
  private func check(_ arguments: [String]) throws {
    let python = try #require(PageTests.python)
    let script = Fixtures.root + "/Tests/ServiceTests/Replay/pages.py"
    let pages = try ChildProcess(python, [script] + arguments)
    #expect(pages.waitForExit(seconds: 60) == .code(0), "\(pages.standardOutput)")
    #expect(pages.standardError == "")
  }
}
