import Glibc

/// The seconds of processor time that some work takes on all threads, which other load of the machine
/// affects least.
func seconds(_ work: () throws -> Void) rethrows -> Double { try took(work).busy }

/// Measures some work.
func took(_ work: () throws -> Void) rethrows -> Took {
  let (wall, busy) = (wallTime(), processTime())
  try work()
  return Took(wall: wallTime() - wall, busy: processTime() - busy)
}

/// The seconds of processor time of all threads.
private func processTime() -> Double { time(of: CLOCK_PROCESS_CPUTIME_ID) }

/// The seconds on a monotonic clock.
func wallTime() -> Double { time(of: CLOCK_MONOTONIC) }

private func time(of clock: clockid_t) -> Double {
  var time = timespec()
  clock_gettime(clock, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The median seconds of processor time of some work, over `rounds`.
func median(_ rounds: Int, _ work: () throws -> Void) rethrows -> Double {
  try medians(rounds, work).busy
}

/// The median elapsed and processor time of some work, over `rounds`.
func medians(_ rounds: Int, _ work: () throws -> Void) rethrows -> Took {
  var all: [Took] = []
  for _ in 0..<rounds { all.append(try took(work)) }
  return Took(wall: all.map(\.wall).median, busy: all.map(\.busy).median)
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

extension [Double] {
  /// The median; 0 if the array is empty.
  var median: Double { sorted().percentile(50) }

  /// The percentile of a sorted array by nearest rank; 0 if the array is empty.
  func percentile(_ share: Double) -> Double {
    guard !isEmpty else { return 0 }
    let rank = (share / 100 * Double(count)).rounded(.up)
    return self[Swift.min(Swift.max(Int(rank) - 1, 0), count - 1)]
  }
}
