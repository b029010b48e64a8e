import GeoFormats
import Glibc
import Synchronization
import Threading

/// Writes the log to standard error, one JSON object on each line.
///
/// A thread of its own writes it, so that no other waits for a reader that has stopped. Lines for which
/// there is no room then are dropped and counted.
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

    /// The place among all.
    fileprivate var number: Int {
      switch self {
      case .debug: 0
      case .info: 1
      case .error: 2
      }
    }

    /// The level with a name.
    public init?(name: String) {
      guard let level = Level.allCases.first(where: { $0.name == name }) else { return nil }
      self = level
    }
  }

  /// The level that was configured.
  private let usual: Level
  /// The number of the level in force.
  private let level: Atomic<Int>
  private let output: LogOutput

  /// Creates a logger that leaves out lines below a level.
  public init(level: Level) {
    usual = level
    self.level = Atomic(level.number)
    output = LogOutput(descriptor: STDERR_FILENO)
  }

  /// Begins to write. Lines logged before wait.
  public func start() { output.start() }

  /// Waits until everything is written, but no longer than a second.
  public func flush() { output.flush() }

  /// Whether lines of a level are written.
  public func writes(_ level: Level) -> Bool {
    level.number >= self.level.load(ordering: .relaxed)
  }

  /// Logs one level more from now on, if there is one.
  public func talkMore() { change(to: max(level.load(ordering: .relaxed) - 1, 0)) }

  /// Goes back to the level that was configured.
  public func talkAsUsual() { change(to: usual.number) }

  private func change(to number: Int) {
    let before = level.load(ordering: .relaxed)
    // Told at whichever level tells it.
    level.store(min(before, number), ordering: .relaxed)
    log(writes(.info) ? .info : .error, "log level") { json in
      json.member("now", Level.allCases[number].name)
      json.member("before", Level.allCases[before].name)
    }
    level.store(number, ordering: .relaxed)
  }

  /// Writes a line: the time, the level, the event and the members that `fields` adds.
  public func log(
    _ level: Level, _ event: String, _ fields: (inout JSONWriter) -> Void = { _ in }
  ) {
    guard writes(level) else { return }
    output.append(Logger.line(level, event, fields))
    let dropped = output.takeDropped()
    if dropped > 0 {
      output.append(Logger.line(.error, "dropped lines") { $0.member("count", dropped) })
    }
  }

  private static func line(
    _ level: Level, _ event: String, _ fields: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    var json = JSONWriter(reserving: 256)
    json.beginObject()
    json.member("time", Logger.now())
    json.member("level", level.name)
    json.member("event", event)
    fields(&json)
    json.endObject()
    json.newline()
    return escapingControls(json.take())
  }

  /// A line with the control characters escaped that JSON allows, U+007F to U+009F: a terminal might obey them.
  private static func escapingControls(_ line: [UInt8]) -> [UInt8] {
    guard line.contains(where: { $0 == 0x7F || $0 == 0xC2 }) else { return line }
    var escaped: [UInt8] = []
    var index = 0
    while index < line.count {
      var control = line[index] == 0x7F ? line[index] : nil
      // They take two bytes in UTF-8, the second of which is their number.
      if line[index] == 0xC2, index + 1 < line.count, line[index + 1] < 0xA0 {
        index += 1
        control = line[index]
      }
      if let control {
        escaped += "\\u00\(String(control, radix: 16))".utf8
      } else {
        escaped.append(line[index])
      }
      index += 1
    }
    return escaped
  }

  /// The current time in RFC 3339, UTC, to the millisecond.
  private static func now() -> String {
    DateTime.text(SystemTime.now / 1000, fixedWidth: true)
  }
}
