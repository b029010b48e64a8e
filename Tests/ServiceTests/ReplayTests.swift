import Glibc
import TestSupport
import Testing

/// Every example in api/examples, sent to the live server and compared with what it answers.
///
/// Needs Python with PyYAML and jsonschema: PINCLUSTER_TEST_PYTHON names its interpreter, and
/// without that variable the test is skipped (`scripts/test` sets it).
@Suite(.timeLimit(.minutes(5))) struct ReplayTests {
  private static let python = getenv("PINCLUSTER_TEST_PYTHON").map { String(cString: $0) }

  @Test(.enabled(if: python != nil, "PINCLUSTER_TEST_PYTHON is not set"))
  func everyExampleIsWhatTheServerAnswers() throws {
    let python = try #require(ReplayTests.python)
    let cities = try #require(Fixtures.path(named: "cities15000.csv"))
    let data = try TemporaryDirectory()
    try Tool(["import", cities, "--collection", "cities", "--data", data.path]).expectSuccess()
    let server = try ServerProcess.ready(data: data)
    let replay = try ChildProcess(
      python,
      [
        Fixtures.root + "/Tests/ServiceTests/Replay/replay.py", server.url,
      ])
    #expect(replay.waitForExit(seconds: 120) == .code(0))
    #expect(replay.standardError == "")
    // A run without examples would prove nothing.
    #expect(replay.standardOutput.contains("examples"), "\(replay.standardOutput)")
    server.expectHealthy()
  }
}
