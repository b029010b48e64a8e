import CHints
import ClusterAPI
import ClusterCore
import FeatureStore
import GeoFormats
import Glibc
import HTTPServer
import Texts
import Threading

/// `pincluster import`: streams a file into a collection, in memory that does not grow with the file.
struct Import: RunnableCommand {
  static let flags: [Options.Flag] =
    [
      .once("collection", "C", "collection to load into", unset: "required"),
      .init("data", "DIR", "data directory that no service uses", standard: "./data"),
      .once("url", "URL", "running service to send to, instead of --data"),
      .once(
        "format", "FORMAT", "geojson, geojsonseq, csv, or gdal for what ogr2ogr reads",
        .choice(Source.names), unset: "by file name"),
      .once(
        "layer", "NAME", "layer or sheet for ogr2ogr, file in a zip, or list in JSON, such as /a",
        unset: "the only one that isn't empty, or of points"),
      .once(
        "points", "WHAT", "only, or centroid: takes the centroids of lines and areas",
        .choice(["only", "centroid"]), standard: "only"),
      .once("id-property", "NAME", "property that holds the ids"),
      .once(
        "on-error", "WHAT", "abort or skip: what to do with bad features",
        .choice(["abort", "skip"]), standard: "abort"),
      .maximumFeatureBytes,
    ] + tableFlags + TrustFiles.flags + [TrustFiles.accessFlag]

  typealias Failure = CommandFailure

  let path: String
  let collection: String
  let source: Source
  let layer: String?
  let takesCentroids: Bool
  let idProperty: String?
  let skipsBad: Bool
  private(set) var table: TableOptions
  private let data: String
  private let url: String?
  let trust: TrustFiles
  let featureBytes: Int

  init(_ options: Options) throws(UsageError) {
    guard options.operands.count == 1 else {
      throw UsageError("import takes exactly one FILE, or -; see pincluster import --help")
    }
    path = options.operands[0]
    collection = try options.collection()
    idProperty = options.values["id-property"]
    if idProperty?.isEmpty == true {
      throw options.invalid(
        "id-property", "which names no property; leave it out for the usual ids")
    }
    skipsBad = options.values["on-error"] == "skip"
    table = try Import.table(options, skipsBad: skipsBad)
    data = options.values["data"] ?? ""
    url = try options.url()
    trust = try TrustFiles(options)
    featureBytes = options.integer("max-feature-bytes")
    source = try Source(options.values["format"], path)
    layer = options.values["layer"]
    takesCentroids = options.values["points"] == "centroid"
    if case .own(.geoJSON) = source { table.layer = layer }
    guard layer == nil || source.hasLayers || table.layer != nil else {
      throw UsageError("--layer is for files that ogr2ogr reads; \(path) has no layers")
    }
    if takesCentroids, case .own(.csv) = source { throw UsageError(Import.noShapes) }
  }

  func run() throws -> Int32 {
    try Preflight.checkQueues()
    let start = ContinuousClock.now
    StopSignal.watch()
    let tally: Tally
    do {
      tally = try url.map { try send(to: $0) } ?? store()
    } catch let interruption as StopSignal.Received {
      StandardError.write("pincluster: interrupted; nothing was stored\n")
      return interruption.exitCode
    } catch let stopped as Stopped {
      StandardError.write(
        "pincluster: interrupted; \(stopped.stored.counted("feature")) \(stopped.stored == 1 ? "was" : "were") stored\n"
      )
      return stopped.cause.exitCode
    }
    let seconds = start.duration(to: .now) / .seconds(1)
    for problem in tally.problems {
      Command.printError("\(problem.pointer): \(problem.detail)")
    }
    if tally.rejected > tally.problems.count {
      Command.printError("and \(tally.rejected - tally.problems.count) more")
    }
    if tally.rejected > 0 && !skipsBad {
      for note in tally.notes { Command.printError("note: \(note)") }
      // What was put into a data directory was taken back.
      let stored = url == nil ? 0 : tally.inserted + tally.updated
      throw Failure(
        "\(tally.rejected.counted("bad feature")); "
          + (stored == 0
            ? "nothing was changed (--on-error skip stores the good ones)"
            : "\(stored.counted("good feature")) \(stored == 1 ? "was" : "were") stored before the first")
      )
    }
    let rate = Int(Double(tally.inserted + tally.updated) / max(seconds, 0.001))
    let duration = (seconds * 100).rounded() / 100
    print(
      "\(collection): \(tally.inserted) inserted, \(tally.updated) updated, "
        + "\(tally.rejected) rejected in \(duration) s (\(rate) a second)")
    for note in tally.notes { print(Command.oneLine("note: \(note)")) }
    return 0
  }

  /// Imports into a data directory, in one transaction.
  private func store() throws -> Tally {
    chints_give_back_large_blocks()
    var input = try input()
    let store = try SQLiteStore(directory: data)
    // A rollback of what is committed changes nothing.
    defer { store.rollbackImport() }
    var tally = Tally()
    try readAsPlanned(&input, &tally) { input, tally, plan in
      try store.beginImport(into: collection)
      try read(&input, &tally, plan, label: "importing") { try store.importBatch(&$0) }
    } undo: {
      store.rollbackImport()
    }
    if tally.rejected > 0 && !skipsBad { return tally }
    try checkIDs(tally)
    keepIndex(of: try store.commitImport(), in: store)
    return tally
  }

  /// Writes the index file of a large collection, which shortens the next start of the service.
  private func keepIndex(of info: CollectionInfo, in store: SQLiteStore) {
    guard info.featureCount >= IndexFileState.minimumCount else { return }
    do {
      try store.storeIndex(of: info)
    } catch {
      StandardError.write(
        "pincluster: everything is stored, but the next start will take longer: \(error)\n")
    }
  }

  /// Refuses an import whose features all lack the property that is to hold their ids.
  func checkIDs(_ tally: Tally) throws(Failure) {
    guard let idProperty, tally.features > 0, tally.identified == 0 else { return }
    throw Failure("no feature has the property \(idProperty) of --id-property; nothing was changed")
  }

  /// Counts of the features so far.
  struct Tally {
    /// Good features, and those of them that came with an id.
    var features = 0
    var identified = 0
    var inserted = 0
    var updated = 0
    var rejected = 0
    var problems: [FeatureProblem] = []
    /// The assumptions made while reading.
    var notes: [String] = []
  }

  private static let batchFeatures = 10_000
  private static let batchBytes = 8 << 20
  private static let partBytes = 64 << 10
  private static let shapeBytes = 64 << 20

  private static let noShapes = "--points centroid is for lines and areas, which CSV doesn't hold"

  /// Opens the input, and detects how it is read.
  func input() throws -> Input {
    switch source {
    case .own(let format): return try Input(path: path, format)
    case .archive(let format):
      let found = try ZipFile(path).member(layer: layer, format: format)
      guard let (member, format) = found else { break }
      guard !takesCentroids || format != .csv else { throw Failure(Import.noShapes) }
      var input = try Input(path: path, format, member: member)
      try input.rewind()
      return input
    case .gdal: break
    }
    let file = GDALFile(path: path, encoding: table.encoding)
    return try Input(
      file,
      try file.conversion(
        layer: layer, takesCentroids: takesCentroids, givesIDs: idProperty != nil,
        skipsBad: skipsBad),
      isLenient: skipsBad)
  }

  /// Reads the whole input and calls `take` with batches of its good features, each while the next one is
  /// read.
  ///
  /// - Parameter plan: how a table is read.
  func read(
    _ input: inout Input, _ tally: inout Tally, _ plan: TablePlan?, label: String,
    _ take: @escaping (inout FeatureBatch) throws -> BatchWriter.Counts
  ) throws {
    let writer = BatchWriter(take)
    defer { writer.wait() }
    // A shape of many corners is a point in the end.
    var reader =
      plan.map { FeatureReader(table: $0, maximumLength: featureBytes) }
      ?? FeatureReader(
        isSequence: input.format == .geoJSONSequence, idProperty: idProperty,
        takesCentroids: takesCentroids, options: table,
        maximumLength: takesCentroids ? max(featureBytes, Import.shapeBytes) : featureBytes)
    var parsed = ParsedFeatures()
    var progress = Progress(label: label, total: input.size ?? input.count)
    var features = 0
    func flush() throws {
      try StopSignal.check()
      guard !parsed.batch.isEmpty else { return }
      features += parsed.batch.count
      if idProperty != nil || url != nil { tally.identified += parsed.batch.identified }
      // After a bad feature that aborts, the rest is read only to report further bad ones.
      if skipsBad || parsed.rejected == 0 { try writer.put(&parsed.batch) }
      parsed.batch.removeAll()
    }
    do {
      func read(_ chunk: UnsafeRawBufferPointer) throws {
        // In parts, as each part of a table may hold far more than its length.
        for start in stride(from: 0, to: chunk.count, by: Import.partBytes) {
          try StopSignal.check()
          let part = chunk[start..<min(start + Import.partBytes, chunk.count)]
          try reader.read(UnsafeRawBufferPointer(rebasing: part), into: &parsed)
          if reader.isContradicted { throw Contradiction() }
          if parsed.batch.count >= Import.batchFeatures
            || parsed.batch.byteCount >= Import.batchBytes
          {
            try flush()
          }
        }
      }
      while try input.next(read) {
        let count = features + parsed.batch.count
        progress.show(input.size == nil ? count : input.position, features: count)
      }
      try reader.finish(into: &parsed)
      if reader.isContradicted { throw Contradiction() }
      try flush()
    } catch let error as FormatError {
      progress.end()
      throw failure(error)
    }
    let written = Result { try writer.finish() }
    progress.end()
    (tally.inserted, tally.updated) = try written.get()
    tally.features = features
    try StopSignal.check()
    tally.rejected = parsed.rejected
    tally.problems = parsed.problems.map { input.shown($0) }
    for note in input.notes { parsed.note(note) }
    tally.notes = parsed.notes
  }

  func failure(_ error: FormatError) -> Failure {
    Failure(Import.text(error, path))
  }

  private static func text(_ error: FormatError, _ path: String) -> String {
    switch error {
    case .malformed(let detail, let offset):
      "\(path) cannot be read: \(detail)" + (offset.map { " (at byte \($0))" } ?? "")
    case .notFeatures(let pointer, let detail):
      "\(path): \(pointer.isEmpty ? "" : "\(pointer): ")\(detail)"
    case .tooLarge(let detail): "\(path): \(detail) (see --max-feature-bytes)"
    case .outOfMemory, .noRoom: "\(path) cannot be read: out of memory"
    case .cancelled: "\(path) was not read to its end"
    }
  }
}

extension FeatureBatch {
  /// The number of features that came with an id.
  var identified: Int {
    (0..<count).count { index in !withRecord(at: index) { $0.needsID } }
  }
}
