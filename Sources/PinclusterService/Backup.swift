import FeatureStore
import Glibc

/// `pincluster backup`: copies the database of a data directory, also while a service writes to it.
struct Backup: RunnableCommand {
  static let flags: [Options.Flag] = [
    .init("data", "DIR", "data directory, also of a running service", standard: "./data"),
    .init(
      "to", "DIR", "folder for the copy, which is made, or is empty", unset: "required",
      hasVariable: false),
  ]

  private let directory: String
  private let target: String

  init(_ options: Options) throws(UsageError) {
    try options.refuseOperands("backup")
    directory = options.values["data"] ?? ""
    guard let target = options.values["to"] else {
      throw UsageError(message: "--to is missing; see pincluster backup --help")
    }
    self.target = target
  }

  func run() throws -> Int32 {
    StopSignal.watch()
    let isTerminal = isatty(STDERR_FILENO) == 1
    var shown = -1
    do {
      try StoreReader(directory: directory).backUp(to: target) { share in
        try StopSignal.check()
        let percent = Int(share * 100)
        if isTerminal, percent != shown { StandardError.write("\rcopying \(percent) %\u{1B}[K") }
        shown = percent
      }
    } catch let interruption as StopSignal.Received {
      StandardError.write("pincluster: interrupted; nothing is left of the copy\n")
      return interruption.exitCode
    }
    if isTerminal { StandardError.write("\r\u{1B}[K") }
    print("\(target)/\(SQLiteStore.fileName): complete, and on disk")
    return 0
  }
}
