/// A command that is ready to run.
protocol RunnableCommand: SendableMetatype {
  /// Reads the options. Throws if it doesn't do.
  init(_ options: Options) throws(UsageError)

  /// Runs the command; returns the exit code.
  func run() throws -> Int32
}
