import FeatureStore
import Glibc
import HTTPServer

/// The command line.
public enum Command {
  /// The version of the service.
  public static let version = "0.1.0"

  /// Runs a command and returns its exit code: 0, 1 after a failure, or 2 after a mistake in the command
  /// line. Errors are one line each on standard error.
  public static func run(_ arguments: [String]) -> Int32 {
    // Makes a file at its size limit (ulimit -f) an error like a full disk, instead of ending the process.
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
    case nil:
      throw UsageError(
        message: "no command; give serve, import or health, or see pincluster --help")
    case let other?:
      throw UsageError(
        message: "\(other) is not a command; give serve, import or health, or see pincluster --help"
      )
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
    Usage: pincluster COMMAND [FLAGS]

    Serves point features over HTTP, exactly clustered for the map that the client shows.

    Commands:
      serve     serve the collections of a data directory
      import    load a file into a collection
      health    ask a running service whether it is ready

    pincluster COMMAND --help lists the flags of a command.
    pincluster --version prints the version.
    """

  private static let serveHelp = """
    Usage: pincluster serve [FLAGS]

    Serves the collections of a data directory over HTTP until SIGTERM or SIGINT.

    \(flagHelp(Serve.flags))
    """

  private static let importHelp = """
    Usage: pincluster import FILE --collection C [FLAGS]

    Loads the features of FILE, or of standard input if FILE is -, into a collection.

    \(flagHelp(Import.flags))

    With --data, the import is one transaction: with --on-error abort, a bad feature leaves everything
    unchanged. With --url, features are sent in batches, each of which is a transaction; a file is
    checked first, so that nothing is sent if it has a bad feature.
    """

  private static let healthHelp = """
    Usage: pincluster health [FLAGS]

    Exits with 0 if a running service is ready, otherwise with 1.

    \(flagHelp(Health.flags))
    """

  private static func flagHelp(_ flags: [Options.Flag]) -> String {
    "Flags, with their (defaults) and [environment variables]:\n\(Options.help(flags))"
  }
}
