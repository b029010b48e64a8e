import FeatureStore
import Texts

/// `pincluster check`: reads a whole data directory, and reports its faults.
struct Check: RunnableCommand {
  static let flags: [Options.Flag] = [
    .init("data", "DIR", "data directory, also of a running service", standard: "./data")
  ]

  private let directory: String

  init(_ options: Options) throws(UsageError) {
    directory = options.values["data"] ?? ""
  }

  /// Returns 0 if all is well, otherwise 1.
  func run() throws -> Int32 {
    try Preflight.checkQueues()
    let reader = try StoreReader(directory: directory, leavesNoTrace: true)
    let report = reader.check { StandardError.show("checking \($0)") }
    StandardError.show("")
    for note in report.notes { StandardError.write("pincluster: note: \(note)\n") }
    for finding in report.findings { StandardError.write("pincluster: \(finding)\n") }
    let use = reader.isHeld ? ", in use by a service" : ""
    guard report.findings.isEmpty else {
      print("\(directory): damaged\(use)")
      return 1
    }
    guard reader.isCurrent else {
      print(
        "\(directory): its structure is well; rows are checked once a start has brought it up to date"
      )
      return 0
    }
    print(
      "\(directory): well, with \(report.collections.counted("collection")), "
        + "\(report.features.counted("row")) of features and \(report.indexFiles.counted("index file"))\(use)"
    )
    return 0
  }
}
