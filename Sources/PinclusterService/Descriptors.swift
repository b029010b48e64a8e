import Glibc
import HTTPServer

/// The file descriptors of this process.
enum Descriptors {
  /// Raises the soft limit to the hard limit and returns it.
  static func raiseLimit() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(clamping: limit.rlim_cur)
  }
}

extension HTTPServer.Configuration {
  /// Lowers the number of connections to fit a limit on open files.
  ///
  /// A quarter of the limit and 16, at most 128, are kept for the files of the process itself: standard
  /// streams, the database, and the files that it writes and reads aside. Each event loop has three.
  mutating func fit(descriptors limit: Int) throws(UsageError) {
    spareConnections = min(spareConnections, max(2, limit / 16 / threads))
    let rest = limit - min(128, limit / 4 + 16) - (2 * spareConnections + 3) * threads
    guard rest > 0 else {
      throw UsageError(
        "the limit on open files is \(limit), too low for \(threads) threads; see ulimit -n")
    }
    maximumConnections = min(maximumConnections, rest)
  }
}
