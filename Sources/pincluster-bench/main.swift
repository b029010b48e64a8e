import Glibc

// pincluster-bench [POINTS]: build and query times of the index (10 million points).
// pincluster-bench --properties [POINTS]: filters, groups, statistics, distance and collision beside
// plain views (a million points).
// pincluster-bench --live PORT COLLECTION POINTS SECONDS: views of a running service that holds what
// --write wrote, at rest and under updates.
// pincluster-bench --write POINTS FILE: writes synthetic features for an import, as the name ends:
// .geojsonl, .geojson or .csv.
// pincluster-bench --cities SAMPLE COUNT FILE: writes the cities of the sample, again and again.
// pincluster-bench --requests VIEW seen|own COUNT SEED FILE: writes requests of a view, one a line.
// pincluster-bench --answers PORT FILE SAMPLE COUNT: compares answers of a service that holds those
// cities with a scan of them; prints the mean size of a body.
// pincluster-bench --paced PORT FILE RATE SECONDS: sends requests at a steady rate; prints answers a
// second, median and 99th percentile in microseconds.
// pincluster-bench --threads DIRECTORY COPY: one and two threads in process, over a data directory of
// cities; and two services over it and over a copy.
// pincluster-bench --replay DIRECTORY: the fixed requests whose instructions are counted, over a copy of it.
// pincluster-bench --world DIRECTORY: views of the whole world, for the first time and again.

let arguments = Array(CommandLine.arguments.dropFirst())
func text(_ place: Int) -> String { place < arguments.count ? arguments[place] : "" }
func number(_ place: Int, else fallback: Int = 0) -> Int { Int(text(place)) ?? fallback }

func run() throws {
  switch arguments.first ?? "" {
  case "--write": try SampleFile.write(count: max(1, number(1)), to: text(2))
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
  case "--world": try WorldBenchmark(directory: text(1)).run()
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
  case let mode: throw InputFile.Failure(path: mode, reason: "isn't something to measure")
  }
}

do {
  try run()
} catch {
  print("pincluster-bench: \(error)")
  exit(1)
}
