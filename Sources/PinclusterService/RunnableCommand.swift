import GeoFormats
import Glibc
import HTTPServer

/// A command that is ready to run.
protocol RunnableCommand: SendableMetatype {
  /// Reads the options. Throws if it doesn't do.
  init(_ options: Options) throws(UsageError)

  /// Runs the command; returns the exit code.
  func run() throws -> Int32
}

/// A mistake in the command line, as one line for standard error.
struct UsageError: Error {
  var message: String

  init(_ message: String) { self.message = message }
}

/// The failure of a command, as one line for standard error.
struct CommandFailure: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }

  /// A failure of the system, by its code.
  init(_ what: String, _ code: Int32) { self.init("\(what): \(String(cString: strerror(code)))") }

  /// The failure of a request to a service, by its answer.
  init(_ answer: HTTPResponse) {
    let problem = try? JSONParser().parse(answer.body)
    let detail = problem?["detail"]?.string ?? "no further explanation"
    self.init("the service answered \(answer.status): \(detail)")
  }
}
