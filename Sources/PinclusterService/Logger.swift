import GeoFormats
import Glibc
import Threading
import HTTPServer

/// How much the log says.
public enum LogLevel: Int, Sendable, CaseIterable {
  /// A line a request, too.
  case debug
  /// Start, stop and what matters.
  case info
  /// What went wrong.
  case error

  /// The name used by the flag and in the log.
  public var name: String {
    switch self {
    case .debug: "debug"
    case .info: "info"
    case .error: "error"
    }
  }

  /// The level with a name.
  public init?(name: String) {
    guard let level = LogLevel.allCases.first(where: { $0.name == name }) else { return nil }
    self = level
  }
}

/// Writes the log: a JSON object a line, to standard error.
public final class Logger: Sendable {
  private let level: LogLevel
  // Keeps lines whole when several threads write.
  private let output = Locked(())

  /// A logger that leaves out what is below a level.
  public init(level: LogLevel) { self.level = level }

  /// Whether lines of a level are written at all.
  public func writes(_ level: LogLevel) -> Bool { level.rawValue >= self.level.rawValue }

  /// Writes a line: the time, the level, the event and what `fields` adds.
  public func log(
    _ level: LogLevel, _ event: String, _ fields: (inout JSONWriter) -> Void = { _ in }
  ) {
    guard writes(level) else { return }
    var json = JSONWriter(reserving: 256)
    json.beginObject()
    json.member("time", Logger.now())
    json.member("level", level.name)
    json.member("event", event)
    fields(&json)
    json.endObject()
    json.newline()
    output.withLock { _ in
      json.bytes.withUnsafeBytes { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
  }

  /// The time in RFC 3339, UTC, to the millisecond.
  private static func now() -> String {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    var parts = tm()
    gmtime_r(&time.tv_sec, &parts)
    func padded(_ value: some BinaryInteger, _ width: Int = 2) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    return "\(parts.tm_year + 1900)-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))T"
      + "\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))."
      + "\(padded(time.tv_nsec / 1_000_000, 3))Z"
  }
}
