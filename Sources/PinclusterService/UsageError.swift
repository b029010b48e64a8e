/// A mistake in the command line, as one line for standard error.
struct UsageError: Error {
  var message: String
}
