import Glibc

/// The built server, running on a free port of 127.0.0.1.
///
/// It logs `{"level":"info","event":"listening","host":"127.0.0.1","port":12345,…}` on standard
/// error when it answers. It is killed when its owner goes.
public final class ServerProcess: Sendable {
  /// Why the server didn't come up.
  public struct NotListening: Error, Sendable, CustomStringConvertible {
    /// Why, with what it wrote.
    public let description: String
  }

  /// The process.
  public let process: ChildProcess
  /// The port.
  public let port: UInt16
  /// The data directory.
  public let data: TemporaryDirectory

  /// Starts `pincluster serve --port 0 --data DIR` with further arguments and waits until it
  /// listens. Give the directory of an earlier one to start again on its data. A launcher is a command
  /// that becomes the one whose words follow its own.
  public init(
    data: TemporaryDirectory? = nil, arguments: [String] = [],
    environment: [String: String] = [:], launcher: [String] = [], timeout seconds: Double = 30
  ) throws {
    guard let binary = ServerBinary.path() else {
      throw NotListening(description: "pincluster isn't built")
    }
    let directory = try data ?? TemporaryDirectory()
    let command =
      launcher + [binary, "serve", "--port", "0", "--data", directory.path] + arguments
    // Enough for a build without optimization on a busy machine.
    let environment = ["PINCLUSTER_REQUEST_TIMEOUT": "600"].merging(environment) { $1 }
    let process = try ChildProcess(
      command[0], Array(command.dropFirst()), environment: environment)
    self.data = directory
    self.process = process
    port = try ServerProcess.awaitPort(process, seconds: seconds)
  }

  private static func awaitPort(_ process: ChildProcess, seconds: Double) throws -> UInt16 {
    for _ in 0..<Int(seconds * 200) {
      let ended = process.exit()  // asked first, so that all it wrote is read below
      if let port = listeningPort(process.standardError) { return port }
      if let ended {
        throw NotListening(description: "ended with \(ended): \(process.standardError)")
      }
      usleep(5000)
    }
    throw NotListening(description: "not within \(seconds) s: \(process.standardError)")
  }

  /// The port of the first complete "listening" line of a log.
  public static func listeningPort(_ log: String) -> UInt16? {
    guard let end = log.lastIndex(of: "\n") else { return nil }
    for line in log[..<end].split(separator: "\n") {
      if let entry = try? TestJSON(parsing: String(line)), entry["event"] == "listening" {
        return entry["port"]?.int.flatMap(UInt16.init(exactly:))
      }
    }
    return nil
  }

  /// What it wrote to standard error so far.
  public var standardError: String { process.standardError }

  /// The lines of its log so far; a line that isn't JSON comes as a string.
  public var log: [TestJSON] {
    standardError.split(separator: "\n").map { line in
      (try? TestJSON(parsing: String(line))) ?? .string(String(line))
    }
  }

  /// A client of it.
  public var client: TestClient { TestClient(port: port) }

  /// Ends it at once, as a power cut would, and waits until it is gone.
  public func kill() {
    process.signal(SIGKILL)
    _ = process.waitForExit()
  }

  /// Asks it to stop (SIGTERM) and waits; its exit code, nil if it died otherwise or didn't end in
  /// time.
  public func terminate(timeout seconds: Double = 30) -> Int32? {
    process.signal(SIGTERM)
    if case .code(let code) = process.waitForExit(seconds: seconds) { return code }
    return nil
  }
}
