import CHints
import Dispatch
import Glibc
import Threading

/// A check of the system's limits, before a start that couldn't go back.
enum Preflight {
  /// Sees whether so many threads can be started, and so many bytes be had beside them.
  ///
  /// - Throws: ``CommandFailure`` if not, with the need and the limit that may be the cause.
  static func check(threads count: Int, bytes: Int) throws(CommandFailure) {
    // Before the threads, as each might take a part of the allocator's.
    chints_limit_arenas()
    let end = DispatchSemaphore(value: 0)
    var threads: [SystemThread] = []
    while threads.count < count, let thread = SystemThread({ end.wait() }) {
      threads.append(thread)
    }
    let hasMemory = canMap(bytes)
    for _ in threads { end.signal() }
    for thread in threads { thread.join() }
    guard threads.count < count || !hasMemory else { return }
    let limits = [
      limit(RLIMIT_AS).map { "ulimit -v is \($0 >> 10) kB" },
      hasMemory ? limit(__RLIMIT_NPROC).map { "ulimit -u is \($0)" } : nil,
    ].compactMap(\.self)
    throw CommandFailure(
      ([
        "\(count) threads and \(bytes >> 20) MiB of memory beside them are needed, but "
          + (hasMemory ? "only \(threads.count) threads can be started" : "there is less memory")
      ]
        + limits).joined(separator: "; "))
  }

  /// Sees whether a command has the threads for its queues, which would wait for them for ever.
  static func checkQueues() throws(CommandFailure) {
    try check(threads: Processors.count + 8, bytes: 32 << 20)
  }

  /// Whether memory can be mapped. It isn't used, so a system that promises more than it has promises this too.
  private static func canMap(_ bytes: Int) -> Bool {
    let start = mmap(
      nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    guard let start, start != MAP_FAILED else { return false }
    return munmap(start, bytes) == 0
  }

  /// A limit of this process; nil if there is none.
  private static func limit(_ resource: __rlimit_resource) -> rlim_t? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0,
      limit.rlim_cur != rlim_t.max
    else { return nil }
    return limit.rlim_cur
  }
}
