import Glibc

/// Seconds of processor time that some work takes on this thread: what others do on the machine
/// counts as little as can be.
func seconds(_ work: () throws -> Void) rethrows -> Double {
  let start = threadTime()
  try work()
  return threadTime() - start
}

private func threadTime() -> Double { time(of: CLOCK_THREAD_CPUTIME_ID) }

/// Seconds of processor time of all threads.
func processTime() -> Double { time(of: CLOCK_PROCESS_CPUTIME_ID) }

/// Seconds on a clock that never goes back.
func wallTime() -> Double { time(of: CLOCK_MONOTONIC) }

private func time(of clock: clockid_t) -> Double {
  var time = timespec()
  clock_gettime(clock, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The median of the seconds that some work takes, over `rounds`.
func median(_ rounds: Int, _ work: () throws -> Void) rethrows -> Double {
  var times: [Double] = []
  for _ in 0..<rounds { times.append(try seconds(work)) }
  return times.sorted()[rounds / 2]
}

/// A figure with a unit that suits it.
func duration(_ seconds: Double) -> String {
  if seconds >= 1 { return "\(rounded(seconds)) s" }
  if seconds >= 1e-3 { return "\(rounded(seconds * 1e3)) ms" }
  if seconds >= 1e-6 { return "\(rounded(seconds * 1e6)) µs" }
  return "\(rounded(seconds * 1e9)) ns"
}

/// Three significant digits are all that a benchmark is good for.
func rounded(_ value: Double) -> String {
  let scale: Double = value >= 100 ? 1 : value >= 10 ? 10 : 100
  return String((value * scale).rounded() / scale)
}

/// Prints a line of the table.
func row(_ name: String, _ figure: String, _ yardstick: String = "") {
  let left = name + String(repeating: " ", count: max(1, 52 - name.count))
  print(left + figure + String(repeating: " ", count: max(1, 14 - figure.count)) + yardstick)
}

extension [Double] {
  /// The value of sorted ones which so many of a hundred don't exceed (nearest rank); 0 if there are none.
  func percentile(_ share: Double) -> Double {
    guard !isEmpty else { return 0 }
    let rank = (share / 100 * Double(count)).rounded(.up)
    return self[Swift.min(Swift.max(Int(rank) - 1, 0), count - 1)]
  }
}
