import ClusterCore
import GeoFormats
import TestSupport

/// Features: what is read doesn't depend on the chunks in which it comes, is valid, and is read back from what is written.
enum FuzzFeatures {
  /// All that comes of reading a stream.
  private struct Outcome: Equatable {
    var records: [[UInt8]] = []
    /// The same of those that have an id, as they are written: only a store gives ids, and minus zero is written as zero.
    var written: [[UInt8]] = []
    var problems: [FeatureProblem] = []
    var rejected = 0
    var error: FormatError?
    var notes: [String] = []
    var lines: [UInt8] = []
  }

  static func feed(_ input: UnsafeRawBufferPointer, _ format: FeatureFormat) throws {
    let bytes = Array(input)
    var random = SeededGenerator(seed: UInt64(bitPattern: Int64(bytes.hashOfBytes)))
    // Short limits are met by short inputs.
    let limit = random.pick([40, 300, FeatureReader.usualLength, FeatureReader.usualLength])
    let idProperty = random.pick([nil, nil, "a"])
    let takesCentroids = format != .csv && random.chance(0.5)
    let options = options(&random)
    func read(_ bytes: [UInt8], _ format: FeatureFormat, most: Int) throws -> Outcome {
      try outcome(
        bytes, format, idProperty: idProperty, options, limit: limit,
        takesCentroids: takesCentroids, chunk: { random.int(1...max(1, most)) })
    }
    let whole = try read(bytes, format, most: 1 << 40)
    for most in [1, max(2, bytes.count / 2)] where bytes.count < 4096 {
      try FuzzFinding.unless(
        try read(bytes, format, most: most) == whole, "read in chunks of at most \(most) it differs"
      )
    }
    if format == .csv {
      for look in [0, bytes.count / 2, bytes.count] {
        let other = try table(
          bytes, idProperty: idProperty, options, limit: limit, look: look)
        try FuzzFinding.unless(other == whole, "read after \(look) bytes were looked at it differs")
      }
    }
    guard whole.error == nil, limit == FeatureReader.usualLength else { return }
    let again = try outcome(
      whole.lines, .geoJSONSequence, idProperty: nil, TableOptions(), limit: .max,
      chunk: { 1 << 40 })
    try FuzzFinding.unless(
      again.written == whole.written && again.rejected == 0 && again.error == nil,
      "what is written is read as something else: \(String(decoding: whole.lines, as: UTF8.self))")
  }

  /// What is said of a table, mostly nothing.
  private static func options(_ random: inout SeededGenerator) -> TableOptions {
    var options = TableOptions()
    guard random.chance(0.5) else { return options }
    options.encoding = random.pick([
      nil, nil, "utf-8", "utf-16", "UTF-16LE", "windows-1252", "ISO-2022-JP", "UTF-7", "EUC-JP",
      "HZ-GB-2312", "UTF-32",
    ])
    options.separator = random.pick([nil, nil, 0x2C, 0x3B, 0x7C, 0x09])
    options.decimal = random.pick([nil, nil, 0x2E, 0x2C])
    if random.chance(0.1) { (options.longitude, options.latitude) = ("lon", "lat") }
    if random.chance(0.1) { options.geometry = random.pick(["wkt", "geometry", "geo"]) }
    if random.chance(0.1) { options.text = ["id"] }
    options.assumesEncoding = random.chance(0.5)
    return options
  }

  /// Reads a table that is in memory.
  private static func table(
    _ bytes: [UInt8], idProperty: String?, _ options: TableOptions, limit: Int, look: Int
  ) throws -> Outcome {
    var parsed = ParsedFeatures()
    var failure: FormatError?
    do throws(FormatError) {
      parsed = try bytes.withUnsafeBufferPointer { (bytes) throws(FormatError) in
        try ParsedFeatures(
          UnsafeRawBufferPointer(bytes), .csv, idProperty: idProperty, table: options,
          maximumLength: limit, look: look)
      }
    } catch {
      failure = error
    }
    return try outcome(parsed, failure)
  }

  private static func outcome(
    _ bytes: [UInt8], _ format: FeatureFormat, idProperty: String?, _ options: TableOptions,
    limit: Int, takesCentroids: Bool = false, chunk: () -> Int
  ) throws -> Outcome {
    // Copies of only the chunks, so that the sanitizer notices reads beyond them.
    var chunks: [[UInt8]] = []
    var start = 0
    while start < bytes.count {
      let size = min(bytes.count - start, chunk())
      chunks.append(Array(bytes[start..<start + size]))
      start += size
    }
    func forEachChunk(
      _ body: (UnsafeRawBufferPointer) throws(FormatError) -> Void
    ) throws(FormatError) {
      for chunk in chunks {
        try chunk.withUnsafeBufferPointer { (chunk) throws(FormatError) in
          try body(UnsafeRawBufferPointer(chunk))
        }
      }
    }
    var parsed = ParsedFeatures()
    var failure: FormatError?
    do throws(FormatError) {
      var reader = FeatureReader(
        isSequence: format == .geoJSONSequence, idProperty: idProperty,
        takesCentroids: takesCentroids, options: options, maximumLength: limit)
      if format == .csv {
        var survey = TableSurvey(
          options: options, idProperty: idProperty, maximumLength: limit)
        try forEachChunk { (chunk) throws(FormatError) in try survey.read(chunk) }
        reader = FeatureReader(
          table: try survey.finish(isWhole: true, isFinal: true), maximumLength: limit)
      }
      try forEachChunk { (chunk) throws(FormatError) in try reader.read(chunk, into: &parsed) }
      try reader.finish(into: &parsed)
    } catch {
      failure = error
    }
    return try outcome(parsed, failure)
  }

  private static func outcome(_ parsed: ParsedFeatures, _ error: FormatError?) throws -> Outcome {
    var outcome = Outcome()
    (outcome.error, outcome.notes) = (error, parsed.notes)
    var writer = JSONWriter()
    for number in 0..<parsed.batch.count {
      try parsed.batch.withRecord(at: number) { record in
        let place = record.coordinate
        try FuzzFinding.unless(
          place.latitude.magnitude <= 90 && place.longitude.magnitude <= 180, "no place: \(place)")
        _ = try JSONParser().parse(Array(record.properties))
        outcome.records.append(content(of: record) { $0 })
        if record.needsID { return }
        outcome.written.append(content(of: record) { $0 + 0 })
        writer.feature(record, tellsNever: false)
        outcome.lines += writer.take() + [0x0A]
      }
    }
    (outcome.problems, outcome.rejected) = (parsed.problems, parsed.rejected)
    return outcome
  }

  /// Whether it needs an id, and all that it has.
  private static func content(
    of record: FeatureRecord, _ ordinate: (Double) -> Double
  ) -> [UInt8] {
    let id = record.needsID ? "" : "\(record.id) \(record.id.isWrittenAsText)"
    let ordinates =
      [record.coordinate.longitude, record.coordinate.latitude] + record.furtherOrdinates
    let numbers = ordinates.map(ordinate)
    let expiry = "\(record.expires.map(String.init) ?? "-") \(record.neverExpires)"
    return [record.needsID ? 1 : 0] + "\(id) \(numbers) \(expiry) ".utf8 + record.properties
  }
}

extension [UInt8] {
  /// A hash that is the same in each process.
  var hashOfBytes: Int { reduce(7) { $0 &* 31 &+ Int($1) } }
}
