import FeatureStore
import Glibc
import HTTPServer

/// The command line.
public enum Command {
  /// The version of the service.
  public static let version = "0.1.0"

  /// Runs a command; returns the exit code: 0, 1 for a failure, 2 for a wrong command line. What
  /// went wrong is one line on standard error.
  public static func run(_ arguments: [String]) -> Int32 {
    // A file that may not grow any more (ulimit -f) is an error as a full disk is, not the end.
    signal(SIGXFSZ, SIG_IGN)
    do {
      return try dispatch(arguments)
    } catch let error as UsageError {
      printError(error.message)
      return 2
    } catch {
      printError("\(error)")
      return 1
    }
  }

  private static func dispatch(_ arguments: [String]) throws -> Int32 {
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case "serve":
      let options = try Options(rest, flags: Serve.flags, command: "serve")
      if options.wantsHelp { return help(serveHelp) }
      return try Serve(options).run()
    case "import":
      let options = try Options(rest, flags: Import.flags, command: "import")
      if options.wantsHelp { return help(importHelp) }
      return try Import(options).run()
    case "health":
      let options = try Options(rest, flags: Health.flags, command: "health")
      if options.wantsHelp { return help(healthHelp) }
      return try Health(options).run()
    case "--help", "-h", "help": return help(generalHelp)
    case "--version": return help("pincluster \(version)")
    case nil: throw UsageError(message: "a command is missing: serve, import or health; see --help")
    case let other?:
      throw UsageError(message: "\(other) is no command: serve, import and health are; see --help")
    }
  }

  private static func help(_ text: String) -> Int32 {
    print(text)
    return 0
  }

  private static func printError(_ message: String) {
    StandardError.write("pincluster: \(message)\n")
  }

  private static let generalHelp = """
    pincluster: map pins, clustered exactly, over HTTP

      pincluster serve [flags]                        serve the collections of a data directory
      pincluster import FILE --collection C [flags]   load a file into a collection
      pincluster health [flags]                       ask a running service whether it is ready
      pincluster COMMAND --help                       the flags
      pincluster --version
    """

  private static let serveHelp = """
    pincluster serve: serve the collections of a data directory until SIGTERM or SIGINT

    \(Options.help(Serve.flags))
    """

  private static let importHelp = """
    pincluster import FILE --collection C: load a file, or - for standard input, into a collection

    \(Options.help(Import.flags))

    Into --data everything is one transaction: with --on-error abort a bad feature means that nothing
    is changed. Into --url the features go in batches, each a transaction; a file is read through
    first, so that a bad feature in it is found before anything is sent.
    """

  private static let healthHelp = """
    pincluster health: exit with 0 if a running service is ready, with 1 if not

    \(Options.help(Health.flags))
    """
}
