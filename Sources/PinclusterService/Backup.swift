import FeatureStore

/// `pincluster backup`: copies the database of a data directory, also while a service writes to it.
struct Backup: RunnableCommand {
  static let flags: [Options.Flag] = [
    .init("data", "DIR", "data directory, also of a running service", standard: "./data"),
    .once("to", "DIR", "folder for the copy, which is made, or is empty", unset: "required"),
  ]

  private let directory: String
  private let target: String

  init(_ options: Options) throws(UsageError) {
    directory = options.values["data"] ?? ""
    target = try options.required("to")
  }

  func run() throws -> Int32 {
    StopSignal.watch()
    var shown = -1
    do {
      try StoreReader(directory: directory).backUp(to: target) { share in
        try StopSignal.check()
        let percent = Int(share * 100)
        if percent != shown { StandardError.show("copying \(percent) %") }
        shown = percent
      }
    } catch let interruption as StopSignal.Received {
      StandardError.write("pincluster: interrupted; nothing is left of the copy\n")
      return interruption.exitCode
    }
    StandardError.show("")
    print("\(target)/\(SQLiteStore.fileName): complete, and on disk")
    return 0
  }
}
