import CHints
import FeatureStore
import Glibc
import HTTPServer

/// The command line.
///
///     exit(Command.run(["serve", "--port", "8080", "--data", "data"], commit: ""))
public enum Command {
  /// The version of the service, as docs/operations.md says what its numbers promise.
  public static let version = "1.0.0"

  /// Runs a command and returns its exit code: 0, 1 after a failure, or 2 after a mistake in the command
  /// line, the environment or the configuration file. Errors are one line each on standard error. `commit` is that of the
  /// sources, or empty.
  public static func run(_ arguments: [String], commit: String) -> Int32 {
    // Makes a file at its size limit (ulimit -f) an error like a full disk, instead of ending the process.
    signal(SIGXFSZ, SIG_IGN)
    // A file that is opened must not become standard error, into which the log is written.
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", O_RDWR)
    }
    do {
      let code = try dispatch(arguments, commit)
      guard chints_flush_output() else {
        throw CommandFailure("standard output cannot be written")
      }
      return code
    } catch let error as UsageError {
      printError(error.message)
      return 2
    } catch {
      printError("\(error)")
      return 1
    }
  }

  private static func dispatch(_ arguments: [String], _ commit: String) throws -> Int32 {
    let names = all.map(\.name)
    let list = "\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
    switch arguments.first {
    case "--help", "-h", "help":
      print(help)
      return 0
    case "--version":
      print("pincluster \(version)" + (commit.isEmpty ? "" : " (\(commit))"))
      return 0
    case nil:
      throw UsageError("no command; give \(list), or see pincluster --help")
    case let name?:
      guard let entry = all.first(where: { $0.name == name }) else {
        throw UsageError("\(name) is not a command; give \(list), or see pincluster --help")
      }
      return try run(entry, Array(arguments.dropFirst()))
    }
  }

  private static func run(_ entry: Entry, _ arguments: [String]) throws -> Int32 {
    let options = try Options(arguments, of: entry, known: all.flatMap(\.flags))
    if options.wantsHelp {
      print(entry.help)
      return 0
    }
    let command = try entry.type.init(options)
    let isPrinted = options.isOn("print-config")
    // The log of the service tells them itself.
    if isPrinted || entry.type != Serve.self {
      for warning in options.warnings { printError("warning: \(warning)") }
    }
    if isPrinted {
      print(options.printed)
      return 0
    }
    return try command.run()
  }

  /// Prints one line, whatever the message quotes.
  static func printError(_ message: String) {
    StandardError.write("pincluster: \(oneLine(message))\n")
  }

  /// A message as one line without control characters, whatever it quotes.
  static func oneLine(_ message: String) -> String {
    message.unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control ? scalar.escaped(asASCII: true) : "\(scalar)"
    }.joined()
  }

  private static var help: String {
    let width = 2 + (all.map(\.name.count).max() ?? 0)
    let list = all.map { entry in
      "  " + entry.name + String(repeating: " ", count: width - entry.name.count) + entry.summary
    }
    return """
      Usage: pincluster COMMAND [FLAGS]

      Serves point features over HTTP, exactly clustered for the map that the client shows.

      Commands:
      \(list.joined(separator: "\n"))

      pincluster COMMAND --help lists the flags of a command.
      pincluster --version prints the version and the commit.
      """
  }
}
