import GeoFormats
import Glibc
import Threading

/// Writes the log to standard error, one JSON object on each line.
public final class Logger: Sendable {
  /// The severity of a line of the log.
  public enum Level: Sendable, Comparable, CaseIterable {
    /// Every request.
    case debug
    /// Start, stop and other events.
    case info
    /// Failures.
    case error

    /// The name in flags and in the log.
    public var name: String { "\(self)" }

    /// The level with a name.
    public init?(name: String) {
      guard let level = Level.allCases.first(where: { $0.name == name }) else { return nil }
      self = level
    }
  }

  private let level: Level
  // Keeps the lines of several threads apart.
  private let output = Locked(())

  /// Creates a logger that leaves out lines below a level.
  public init(level: Level) { self.level = level }

  /// Whether lines of a level are written.
  public func writes(_ level: Level) -> Bool { level >= self.level }

  /// Writes a line: the time, the level, the event and the members that `fields` adds.
  public func log(
    _ level: Level, _ event: String, _ fields: (inout JSONWriter) -> Void = { _ in }
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

  /// The current time in RFC 3339, UTC, to the millisecond.
  private static func now() -> String {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return DateTime.text(
      Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000, fixedWidth: true)
  }
}
