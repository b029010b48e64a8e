import Glibc

// Usage: pincluster-bench [POINTS | MODE ARGUMENTS]. scripts/bench calls it.
//
// POINTS (10,000,000): build and query times of the index.
// --properties POINTS (1,000,000): filters, groups, statistics and methods beside plain viewports.
// --live PORT COLLECTION POINTS SECONDS: viewports of a running service with the features of --write, at
//   rest and under updates.
// --write POINTS FILE: writes synthetic features, by the file's extension .geojsonl, .geojson or .csv.
// --places SAMPLE COUNT FILE: writes a table of features with times near the cities of the sample.
// --cities SAMPLE COUNT FILE: writes the cities of the sample repeatedly.
// --requests VIEW seen|own COUNT SEED FILE: writes requests of a phone's viewport, one on each line.
// --answers PORT FILE SAMPLE COUNT: compares answers of a service that holds those cities with a scan of
//   them, and prints the mean size of a body.
// --paced PORT FILE RATE SECONDS: sends requests at a steady rate, and prints the answers per second and
//   their median and 99th percentile in microseconds.
// --threads DIRECTORY COPY: one and two threads in process over a data directory of cities, and two
//   services over it and a copy.
// --replay DIRECTORY: the fixed requests whose instructions are counted, over a copy of a directory.
// --costs DIRECTORY COUNT: random reads of every kind, and what they were estimated to cost.
// --filters DIRECTORY COUNT [windows]: filters over the features of --places, or only those of times and numbers.
// --world DIRECTORY: viewports of the whole world, new ones and repeated.
// --tiles DIRECTORY [QUERY]: vector tiles at each zoom, asked for the first time, of the features of --write.
// --tile-requests COUNT SEED FILE: writes requests for tiles, one on each line.

let arguments = Array(CommandLine.arguments.dropFirst())
func text(_ index: Int) -> String { index < arguments.count ? arguments[index] : "" }
func number(_ index: Int, else fallback: Int = 0) -> Int { Int(text(index)) ?? fallback }

func run() throws {
  switch arguments.first ?? "" {
  case "--write": try SampleFile.write(count: max(1, number(1)), to: text(2))
  case "--places":
    try TimedPlaces.write(count: max(1, number(2)), sample: text(1), to: text(3))
  case "--cities": try Cities(text(1), count: number(2)).write(to: text(3))
  case "--requests":
    try PhoneView.write(
      text(1), ownGrid: text(2) == "own", count: number(3), seed: UInt64(number(4)), to: text(5))
  case "--answers":
    try ServiceAnswers.check(
      port: UInt16(number(1)), requests: text(2), sample: text(3), count: number(4))
  case "--paced":
    var load = try PacedLoad(
      port: UInt16(number(1)), requests: text(2), rate: Double(max(1, number(3))),
      seconds: Double(number(4)))
    try load.run()
  case "--threads": try ThreadBenchmark(directory: text(1), copy: text(2)).run()
  case "--replay": try Replay(directory: text(1)).run()
  case "--costs": try CostBenchmark(directory: text(1), count: number(2, else: 50)).run()
  case "--filters":
    var benchmark = try FilterBenchmark(directory: text(1), count: max(1, number(2)))
    try benchmark.run(onlyWindows: text(3) == "windows")
  case "--world": try WorldBenchmark(directory: text(1)).run()
  case "--tiles": try TileBenchmark(directory: text(1), query: text(2)).run()
  case "--tile-requests":
    try TileBenchmark.write(count: number(1), seed: UInt64(number(2)), to: text(3))
  case "--live":
    try LiveBenchmark(
      port: UInt16(number(1)), collection: text(2), count: max(1, number(3)),
      seconds: Double(text(4)) ?? 20
    ).run()
  case "--properties":
    let sample = try PropertySample(count: number(1, else: 1_000_000))
    try PropertyBenchmark(sample).run()
    try MethodBenchmark(sample).run()
  case let count where count.isEmpty || Int(count) != nil:
    try IndexBenchmark(comparing: Int(count) ?? 10_000_000).run()
  case let mode: throw InputFile.Failure(path: mode, reason: "is not a mode")
  }
}

do {
  try run()
} catch {
  print("pincluster-bench: \(error)")
  exit(1)
}
