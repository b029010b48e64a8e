import ClusterAPI
import GeoFormats
import Texts

extension Import {
  /// The flags that say how a table is written.
  static let tableFlags: [Options.Flag] = [
    .once(
      "encoding", "LABEL", "encoding of a CSV or Shapefile, as iconv knows it", unset: "by the file"
    ),
    .once(
      "separator", "MARK", "what is between the fields of a CSV: , ; | or tab",
      .choice(TableOptions.separators.map(\.key)), unset: "by its header"),
    .once("lon", "NAME", "column of longitudes of a CSV", unset: "by its name"),
    .once("lat", "NAME", "column of latitudes of a CSV", unset: "by its name"),
    .once("geometry", "NAME", "column of points of a CSV, instead of --lon and --lat"),
    .once(
      "decimal", "MARK", "what is before the decimals of numbers in a CSV: . or ,",
      .choice([".", ","]), unset: "by its coordinates"),
    .once("text", "NAMES", "columns of a CSV that are text throughout, with commas between them"),
  ]

  /// The options of a table, by the flags.
  static func table(_ options: Options, skipsBad: Bool) throws(UsageError) -> TableOptions {
    var table = TableOptions()
    table.encoding = options.values["encoding"]
    table.separator = options.values["separator"].flatMap(TableOptions.separator(named:))
    table.decimal = options.values["decimal"]?.utf8.first
    table.longitude = options.values["lon"]
    table.latitude = options.values["lat"]
    table.geometry = options.values["geometry"]
    table.text =
      options.values["text"]?.parts(separatedBy: UInt8(ascii: ",")).map { String($0) } ?? []
    table.assumesEncoding = skipsBad
    if let fault = table.fault {
      throw UsageError("--\(fault.option) is \(fault.detail); see pincluster import --help")
    }
    return table
  }

  /// A table isn't as its beginning was.
  struct Contradiction: Error {}

  /// Reads the input as its beginning promises or, if that is contradicted, again as all of it says. Returns the plan
  /// of a table.
  ///
  /// - Parameters:
  ///   - read: reads the whole input.
  ///   - undo: undoes the reading so far.
  @discardableResult
  func readAsPlanned(
    _ input: inout Input, _ tally: inout Tally,
    _ read: (inout Input, inout Tally, TablePlan?) throws -> Void, undo: () throws -> Void
  ) throws -> TablePlan? {
    let plan = try plan(of: &input, isWhole: !input.canRewind)
    do {
      try read(&input, &tally, plan)
      return plan
    } catch is Contradiction {
      try undo()
      try input.rewind()
      tally = Tally()
      let plan = try self.plan(of: &input, isWhole: true)
      try read(&input, &tally, plan)
      return plan
    }
  }

  /// Looks at a table to plan how it is read, and returns to its beginning. Nil for other formats.
  ///
  /// - Parameter isWhole: whether all of it is looked at, or as much as memory has room for, rather than its beginning.
  func plan(of input: inout Input, isWhole: Bool) throws -> TablePlan? {
    guard input.format == .csv else { return nil }
    var table = table
    // GDAL writes UTF-8.
    if input.isConverted { table.encoding = nil }
    var survey = TableSurvey(options: table, idProperty: idProperty, maximumLength: featureBytes)
    let canRewind = input.canRewind
    var kept: [UInt8] = []
    var seen = 0
    var isAtEnd = false
    do {
      while isWhole || seen < ParsedFeatures.usualLook || !survey.hasHead {
        try StopSignal.check()
        isAtEnd = try !input.next { chunk in
          seen += chunk.count
          if !canRewind { kept += chunk }
          try survey.read(chunk)
        }
        if isAtEnd || !canRewind && kept.count >= TableSurvey.lookAhead { break }
      }
      let plan = try survey.finish(isWhole: isAtEnd, isFinal: isWhole || isAtEnd)
      if canRewind { try input.rewind() } else { input.putBack(kept) }
      return plan
    } catch let error as FormatError {
      throw failure(error)
    }
  }
}
