import Glibc

/// The seconds that some work takes: elapsed, and of processor time on all threads, which other load of the machine
/// affects least.
struct Timing {
  var wall: Double
  var busy: Double
}

/// Measures some work: the medians of `rounds`.
func timing(_ rounds: Int = 1, _ work: () throws -> Void) rethrows -> Timing {
  var all: [Timing] = []
  for _ in 0..<rounds {
    let (wall, busy) = (wallTime(), time(of: CLOCK_PROCESS_CPUTIME_ID))
    try work()
    all.append(Timing(wall: wallTime() - wall, busy: time(of: CLOCK_PROCESS_CPUTIME_ID) - busy))
  }
  return Timing(wall: all.map(\.wall).median, busy: all.map(\.busy).median)
}

/// The seconds of processor time of some work: the median of `rounds`.
func seconds(_ rounds: Int = 1, _ work: () throws -> Void) rethrows -> Double {
  try timing(rounds, work).busy
}

/// The seconds on a monotonic clock.
func wallTime() -> Double { time(of: CLOCK_MONOTONIC) }

private func time(of clock: clockid_t) -> Double {
  var time = timespec()
  clock_gettime(clock, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// A duration with a suitable unit.
func duration(_ seconds: Double) -> String {
  if seconds >= 1 { return "\(rounded(seconds)) s" }
  if seconds >= 1e-3 { return "\(rounded(seconds * 1e3)) ms" }
  if seconds >= 1e-6 { return "\(rounded(seconds * 1e6)) µs" }
  return "\(rounded(seconds * 1e9)) ns"
}

/// A value with about three significant digits.
func rounded(_ value: Double) -> String {
  let scale: Double = value >= 100 ? 1 : value >= 10 ? 10 : 100
  return String((value * scale).rounded() / scale)
}

/// Prints a row of the table.
func row(_ name: String, _ figure: String, _ yardstick: String = "") {
  let left = name + String(repeating: " ", count: max(1, 52 - name.count))
  print(left + figure + String(repeating: " ", count: max(1, 14 - figure.count)) + yardstick)
  // Rows show as they are made, also in files.
  fflush(nil)
}

/// Prints a row of the median and the 99th percentile of several times.
func row(_ name: String, _ times: [Double], _ yardstick: String = "") {
  let most = "99 %: " + duration(times.percentile(99))
  row(name + ", median", duration(times.median), most + (yardstick.isEmpty ? "" : "; ") + yardstick)
}

extension [Double] {
  /// The median; 0 if the array is empty.
  var median: Double { percentile(50) }

  /// The percentile by nearest rank; 0 if the array is empty.
  func percentile(_ share: Double) -> Double {
    guard !isEmpty else { return 0 }
    let rank = (share / 100 * Double(count)).rounded(.up)
    return sorted()[Swift.min(Swift.max(Int(rank) - 1, 0), count - 1)]
  }
}
