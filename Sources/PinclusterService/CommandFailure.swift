/// The failure of a command, as one line for standard error.
struct CommandFailure: Error, CustomStringConvertible {
  var description: String
}
