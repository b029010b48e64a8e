import ClusterCore
import FeatureStore
import GeoFormats
import Glibc
import Texts

/// `pincluster export`: writes the features of a collection, in memory that doesn't grow with it.
struct Export: RunnableCommand {
  static let flags: [Options.Flag] =
    [
      .once("collection", "C", "collection to write", unset: "required"),
      .init("data", "DIR", "data directory, also of a running service", standard: "./data"),
      .once("url", "URL", "running service to ask, instead of --data"),
      .once(
        "format", "FORMAT", "geojsonseq or csv", .choice(["geojsonseq", "csv"]),
        unset: "by file name, or geojsonseq"),
      .once("output", "FILE", "file to write", unset: "standard output"),
    ] + TrustFiles.flags + [TrustFiles.accessFlag]

  private let collection: String
  private let data: String
  private let url: String?
  private let trust: TrustFiles
  private let output: String
  private let isTable: Bool

  init(_ options: Options) throws(UsageError) {
    collection = try options.collection()
    data = options.values["data"] ?? ""
    url = try options.url()
    trust = try TrustFiles(options)
    output = options.values["output"] ?? "-"
    let ending = output.parts(separatedBy: UInt8(ascii: "/")).last?
      .parts(separatedBy: UInt8(ascii: ".")).dropFirst().last
    switch options.values["format"] ?? ending.map(\.lowercasedASCII) {
    case nil, "geojsonseq", "geojsons", "geojsonl", "ndjson", "jsonl": isTable = false
    case "csv": isTable = true
    default:
      throw UsageError(
        "the name \(output) does not show the format; give --format geojsonseq or csv")
    }
  }

  func run() throws -> Int32 {
    try Preflight.checkQueues()
    StopSignal.watch()
    let source: any Source =
      try url.map { try Service(trust.client(for: $0), collection) } ?? Directory(data, collection)
    let isPiped = OutputFile.isStandardOutput(output)
    var file = try OutputFile(path: output)
    do {
      // The columns of a table are known only when all features have been read.
      var columns = CSVWriter.Columns()
      if isTable {
        columns = try source.fold(columns) { columns, batch in
          guard columns.add(namesIn: batch) else {
            throw CommandFailure(
              "the features of \(collection) have more names of properties than a table "
                + "has columns, \(CSVWriter.Columns.most); give --format geojsonseq")
          }
        }
      }
      let lines = Lines(
        file: file, table: isTable ? CSVWriter(columns) : nil, tellsNever: source.tellsNever)
      var written = try source.fold(lines) { lines, batch in try lines.write(batch) }
      try written.flush()
      file = written.file
      try file.finish()
      report(written)
      if !isPiped { print("\(collection): \(written.count.counted("feature")) in \(output)") }
      for warning in try source.warnings() {
        StandardError.write("pincluster: warning: \(warning)\n")
      }
      return 0
    } catch {
      file.abandon()
      guard let interruption = error as? StopSignal.Received else { throw error }
      StandardError.write("pincluster: interrupted; nothing is left of the file\n")
      return interruption.exitCode
    }
  }

  private func report(_ written: Lines) {
    if let lost = written.table?.inexact, lost > 0 {
      StandardError.write(
        "pincluster: warning: \(lost) features hold what a table can't give back, such as lists, true and "
          + "false, numbers among texts, empty texts, altitudes or times of expiry; --format geojsonseq keeps all\n"
      )
    }
  }
}
