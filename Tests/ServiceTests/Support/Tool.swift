import TestSupport
import Testing

/// One run of the command.
struct Tool {
  /// The exit code.
  let exit: ChildProcess.Exit?
  /// Its standard output.
  let output: String
  /// Its standard error.
  let error: String

  /// Runs `pincluster` with these arguments and `input` as its standard input. A launcher is a command that becomes
  /// the one whose words follow its own.
  init(
    _ arguments: [String], environment: [String: String] = [:], input: String? = nil,
    launcher: [String] = []
  ) throws {
    try self.init(
      arguments, environment: environment, bytes: input.map { Array($0.utf8) }, launcher: launcher)
  }

  /// Runs `pincluster` as ``init(_:environment:input:launcher:)`` does, with bytes as its standard input.
  init(
    _ arguments: [String], environment: [String: String] = [:], bytes: [UInt8]?,
    launcher: [String] = []
  ) throws {
    let binary = try #require(ServerBinary.path())
    let directory = try TemporaryDirectory()
    var source = "/dev/null"
    if let bytes {
      source = directory.file("input")
      try Fixtures.write(bytes, path: source)
    }
    let command = launcher + [binary] + arguments
    let process = try ChildProcess(
      command[0], Array(command.dropFirst()), environment: environment, input: source)
    exit = process.waitForExit(seconds: 120)
    output = process.standardOutput
    error = process.standardError
  }

  /// The lines on standard error.
  var errorLines: [String] {
    error.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// Expects a failure with this exit code, and exactly one line on standard error that contains all the
  /// texts.
  func expectFailure(
    _ code: Int32 = 1, saying texts: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(exit == .code(code), "\(error)", sourceLocation: sourceLocation)
    #expect(output == "", sourceLocation: sourceLocation)
    #expect(
      error.hasSuffix("\n") && errorLines.count == 1, "\(error)", sourceLocation: sourceLocation)
    #expect(error.hasPrefix("pincluster: "), "\(error)", sourceLocation: sourceLocation)
    for text in texts {
      #expect(error.contains(text), "\(error)", sourceLocation: sourceLocation)
    }
  }

  /// Expects success and nothing on standard error. Returns itself.
  @discardableResult
  func expectSuccess(sourceLocation: SourceLocation = #_sourceLocation) -> Tool {
    #expect(exit == .code(0), "\(error)", sourceLocation: sourceLocation)
    #expect(error == "", sourceLocation: sourceLocation)
    return self
  }
}
