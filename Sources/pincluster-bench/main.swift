import Glibc

// pincluster-bench [POINTS]: build and query times of the index (10 million points).
// pincluster-bench --properties [POINTS]: filters, groups, statistics, distance and collision beside
// plain views (a million points).
// pincluster-bench --live PORT COLLECTION POINTS SECONDS: views of a running service that holds what
// --write wrote, at rest and under updates.
// pincluster-bench --write POINTS FILE: writes synthetic features for an import, one a line.

var arguments = Array(CommandLine.arguments.dropFirst())
do {
  if arguments.first == "--write", arguments.count == 3, let count = Int(arguments[1]) {
    try SampleFile.write(count: max(1, count), to: arguments[2])
  } else if arguments.first == "--live", arguments.count == 5, let port = UInt16(arguments[1]),
    let count = Int(arguments[3]), let seconds = Double(arguments[4])
  {
    try LiveBenchmark(
      port: port, collection: arguments[2], count: max(1, count), seconds: seconds
    ).run()
  } else if arguments.first == "--properties" {
    let sample = try PropertySample(
      count: arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000)
    try PropertyBenchmark(sample).run()
    try MethodBenchmark(sample).run()
  } else {
    try IndexBenchmark(count: arguments.first.flatMap { Int($0) } ?? 10_000_000).run()
  }
} catch {
  print("pincluster-bench: \(error)")
  exit(1)
}
