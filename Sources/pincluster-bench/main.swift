import Glibc

// Usage: pincluster-bench MODE ARGUMENTS. scripts/bench calls it.
//
// Data and requests, which are printed:
// --write POINTS geojson|csv: synthetic features.
// --cities SAMPLE COUNT: the cities of the sample repeatedly, a GeoJSON Feature on each line.
// --places SAMPLE COUNT: a table of features with times near the cities of the sample.
// --requests VIEW seen|own COUNT SEED: requests of a phone's viewport, one on each line.
// --tile-requests COUNT SEED: requests for tiles, one on each line.
//
// A running service:
// --answers PORT FILE SAMPLE COUNT: compares answers of a service that holds those cities with a scan of
//   them, and prints the mean size of a body.
// --paced PORT FILE RATE SECONDS: sends requests at a steady rate, and prints the answers per second and
//   their median and 99th percentile in microseconds.
// --live PORT COLLECTION POINTS SECONDS: viewports of a collection with the features of --write, at rest and under
//   updates.
//
// In process:
// --index POINTS: build and query times of the index.
// --properties DIRECTORY: filters, groups, statistics and methods over the features of --write, beside plain viewports.
// --filters DIRECTORY: filters over the features of --places.
// --world DIRECTORY: viewports of the whole world, new ones and repeated.
// --tiles DIRECTORY: vector tiles at each zoom, asked for the first time, of the features of --write.
// --threads DIRECTORY COPY: one and two threads over a data directory of cities, and two services over it and a copy.
// --replay DIRECTORY: the fixed requests whose instructions are counted, over a copy of a directory.

let arguments = Array(CommandLine.arguments.dropFirst())
func text(_ index: Int) -> String { index < arguments.count ? arguments[index] : "" }
func number(_ index: Int) -> Int { Int(text(index)) ?? 0 }

func run() throws {
  switch text(0) {
  case "--write": try SamplePlace.printAll(max(1, number(1)), as: text(2))
  case "--cities": try Cities(text(1), count: number(2)).printFeatures()
  case "--places": try Cities(text(1), count: number(2)).printTimes()
  case "--requests":
    try PhoneView.printRequests(
      text(1), ownGrid: text(2) == "own", count: number(3), seed: UInt64(number(4)))
  case "--tile-requests":
    TileBenchmark.printRequests(count: number(1), seed: UInt64(number(2)))
  case "--answers":
    try PhoneView.checkAnswers(
      port: UInt16(number(1)), requests: text(2), Cities(text(3), count: number(4)))
  case "--paced":
    try SteadyLoad.printPaced(
      port: UInt16(number(1)), requests: text(2), rate: Double(max(1, number(3))),
      seconds: Double(number(4)))
  case "--live":
    try LiveBenchmark(
      port: UInt16(number(1)), collection: text(2), count: max(1, number(3)),
      seconds: Double(text(4)) ?? 20
    ).run()
  case "--index": try IndexBenchmark(comparing: max(1, number(1))).run()
  case "--properties":
    var benchmark = try ViewBenchmark(directory: text(1))
    try benchmark.properties()
  case "--filters":
    var benchmark = try ViewBenchmark(directory: text(1))
    try benchmark.filters()
  case "--world": try ViewBenchmark(directory: text(1)).world()
  case "--tiles": try TileBenchmark(directory: text(1)).run()
  case "--threads": try ThreadBenchmark(directory: text(1), copy: text(2)).run()
  case "--replay": try Replay(directory: text(1)).run()
  case let mode: throw Failure("\(mode) is not a mode")
  }
}

do {
  try run()
} catch {
  print("pincluster-bench: \(error)")
  exit(1)
}
