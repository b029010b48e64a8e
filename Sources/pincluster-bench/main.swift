import ClusterCore
import Glibc

// pincluster-bench [POINTS]: build and query times of the index (10 million points).

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000_000
do {
  try IndexBenchmark(count: max(1, count)).run()
} catch {
  print("pincluster-bench: \(error)")
  exit(1)
}
