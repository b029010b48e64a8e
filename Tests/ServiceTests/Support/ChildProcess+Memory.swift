import TestSupport

extension ChildProcess {
  /// The most memory that it has had so far, in kilobytes; nil if it is gone.
  var peakMemory: Int? {
    guard let bytes = try? Fixtures.bytes(path: "/proc/\(pid)/status") else { return nil }
    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("VmHWM:") }
    return line?.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) }
  }
}
