import Glibc
import TestSupport
import Testing

/// What the log does to the service and to those who read it.
@Suite(.timeLimit(.minutes(5))) struct LogTests {
  /// A service whose log is a pipe.
  private final class Piped {
    let process: ChildProcess
    let client: TestClient
    /// The other end of the pipe, which is not waited for.
    let reader: Int32
    private let files: TemporaryDirectory

    /// - Parameters:
    ///   - port: the port to listen on.
    ///   - launcher: a command that becomes the one whose words follow its own.
    init(port: UInt16, launcher: String = "") throws {
      files = try TemporaryDirectory()
      let pipe = files.file("pipe")
      try #require(mkfifo(pipe, 0o600) == 0)
      reader = open(pipe, O_RDWR | O_NONBLOCK)
      let binary = try #require(ServerBinary.path())
      let command =
        "exec \(launcher) \(binary) serve --port \(port) --data \(files.path)/data "
        + "--log-level debug 2>\(pipe)"
      process = try ChildProcess("/bin/sh", ["-c", command])
      let client = TestClient(port: port)
      self.client = client
      let isReady = eventually { (try? client.get("/health/ready"))?.status == 200 }
      try #require(isReady)
    }

    deinit { close(reader) }
  }

  @Test func aLogThatNobodyReadsHoldsNobodyUp() throws {
    let service = try Piped(port: freePort())
    // Each is a line of the log; a pipe holds 65,536 bytes, and the service keeps a mebibyte.
    let target = "/health/live?" + String(repeating: "x", count: 8000)
    let connection = try service.client.connect()
    for _ in 0..<300 { _ = try connection.send("GET", target) }
    service.process.signal(SIGTERM)
    #expect(service.process.waitForExit(seconds: 10) == .code(0))
    // Whoever reads again finds whole lines.
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(service.reader, &bytes, bytes.count)
    let lines = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self).split(separator: "\n")
    #expect(lines.dropLast().allSatisfy { (try? TestJSON(parsing: String($0))) != nil })
    #expect(lines.count > 2)
  }

  private static let python = getenv("PINCLUSTER_TEST_PYTHON").map { String(cString: $0) }

  @Test(.enabled(if: python != nil, "PINCLUSTER_TEST_PYTHON is not set"))
  func aPipeThatDoesNotWaitLosesNoLine() throws {
    let launch = "import os, sys; os.set_blocking(2, False); os.execv(sys.argv[1], sys.argv[1:])"
    let service = try Piped(
      port: freePort(), launcher: "\(Self.python ?? "") -c '\(launch)'")
    // More than a pipe holds, and less than the service keeps.
    let target = "/health/live?" + String(repeating: "x", count: 4000)
    let connection = try service.client.connect()
    for _ in 0..<100 { _ = try connection.send("GET", target) }
    var bytes: [UInt8] = []
    let isThere = eventually {
      var part = [UInt8](repeating: 0, count: 1 << 16)
      let count = read(service.reader, &part, part.count)
      bytes += part.prefix(max(count, 0))
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      return lines.count { (try? TestJSON(parsing: String($0)))?["target"]?.string == target }
        == 100
    }
    #expect(isThere)
    service.process.signal(SIGTERM)
    #expect(service.process.waitForExit(seconds: 10) == .code(0))
  }

  /// A port that was free a moment ago.
  private func freePort() throws -> UInt16 {
    let server = try ServerProcess.ready()
    return server.port
  }

  @Test func controlCharactersAreEscaped() throws {
    let server = try ServerProcess.ready(arguments: ["--log-level", "debug"])
    // Those of ASCII are refused.
    let controls = "\u{80}\u{9B}\u{9F}"
    let bytes = Array(
      "GET /a\(controls)é\u{A0}z HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8)
    _ = try server.client.raw(bytes)
    func target() -> String? {
      server.log.compactMap { $0["target"]?.string }.first { $0.hasPrefix("/a") }
    }
    #expect(eventually { target() != nil })
    #expect(target() == "/a\(controls)é\u{A0}z")
    #expect(!server.standardError.unicodeScalars.contains { (0x7F...0x9F).contains($0.value) })
  }

  @Test func answersForbidSniffing() throws {
    let server = try ServerProcess.holding([TwinFeature(1, 1, 2)], in: "c")
    for path in [
      "/", "/openapi.yaml", "/metrics", "/collections", "/collections/c/items", "/none",
      "/collections/c/clusters?bbox=0,0,9,9&zoom=3", "/health/ready", "/collections/c/items/1",
    ] {
      let answer = try server.client.get(path)
      #expect(answer.header("X-Content-Type-Options") == "nosniff", "\(path)")
    }
    for text in [
      "BAD\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
      "OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    ] {
      let answer = try server.client.rawResponse(text)
      #expect(answer.header("X-Content-Type-Options") == "nosniff", "\(text)")
    }
  }
}
