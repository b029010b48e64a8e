import Glibc

// pincluster-bench [POINTS]: build and query times of the index (10 million points).
// pincluster-bench --write POINTS FILE: writes synthetic features for an import, one a line.

var arguments = Array(CommandLine.arguments.dropFirst())
do {
  if arguments.first == "--write", arguments.count == 3, let count = Int(arguments[1]) {
    try SampleFile.write(count: max(1, count), to: arguments[2])
  } else {
    try IndexBenchmark(count: arguments.first.flatMap { Int($0) } ?? 10_000_000).run()
  }
} catch {
  print("pincluster-bench: \(error)")
  exit(1)
}
