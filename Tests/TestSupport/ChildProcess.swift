import Threading
import Glibc

/// A child process whose output goes to files, so that it never blocks on a reader.
public final class ChildProcess: Sendable {
  /// Its process id.
  public let pid: pid_t
  private let directory: TemporaryDirectory
  private let status = Locked<Int32?>(nil)

  /// What went wrong at the start.
  public struct CannotStart: Error, Sendable {
    /// Why.
    public let reason: String
  }

  /// How a process ended.
  public enum Exit: Equatable, Sendable {
    /// It returned this code.
    case code(Int32)
    /// It died of this signal.
    case signal(Int32)
  }

  /// Starts a command that reads the file `input`. `environment` is added to that of the tests,
  /// from which every PINCLUSTER_… is taken out.
  public init(
    _ executable: String, _ arguments: [String], environment: [String: String] = [:],
    input: String = "/dev/null"
  ) throws {
    directory = try TemporaryDirectory()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let flags = O_WRONLY | O_CREAT | O_APPEND
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, directory.file("stdout"), flags, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, directory.file("stderr"), flags, 0o600)

    // Whatever the test runner ignores or blocks, the child starts afresh.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))

    var child: pid_t = 0
    let result = withCStrings([executable] + arguments) { argv in
      withCStrings(ChildProcess.environment(adding: environment)) { envp in
        posix_spawn(&child, executable, &actions, &attributes, argv, envp)
      }
    }
    guard result == 0 else {
      throw CannotStart(reason: "\(executable): \(String(cString: strerror(result)))")
    }
    pid = child
  }

  deinit {
    if exit() == nil {
      Glibc.kill(pid, SIGKILL)
      _ = waitForExit(seconds: 10)
    }
  }

  private static func environment(adding extra: [String: String]) -> [String] {
    var kept: [String] = []
    var next = environ
    while let entry = next.pointee {
      let text = String(cString: entry)
      // Of two with the same name the first counts.
      let isReplaced = extra.keys.contains { text.hasPrefix("\($0)=") }
      if !text.hasPrefix("PINCLUSTER_"), !isReplaced { kept.append(text) }
      next += 1
    }
    return kept + extra.map { "\($0.key)=\($0.value)" }
  }

  /// What it wrote to standard output so far.
  public var standardOutput: String { text("stdout") }
  /// What it wrote to standard error so far.
  public var standardError: String { text("stderr") }

  private func text(_ name: String) -> String {
    String(decoding: (try? Fixtures.bytes(path: directory.file(name))) ?? [], as: UTF8.self)
  }

  /// The most memory that it has had so far, in kilobytes; nil if it is gone.
  public var peakMemory: Int? {
    guard let bytes = try? Fixtures.bytes(path: "/proc/\(pid)/status") else { return nil }
    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("VmHWM:") }
    return line?.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) }
  }

  /// How it ended, nil while it runs.
  public func exit() -> Exit? {
    let ended = status.withLock { status in
      if status == nil {
        var raw: Int32 = 0
        if waitpid(pid, &raw, WNOHANG) == pid { status = raw }
      }
      return status
    }
    return ended.map { $0 & 0x7F == 0 ? .code($0 >> 8 & 0xFF) : .signal($0 & 0x7F) }
  }

  /// Waits for its end, nil if it doesn't come in time.
  public func waitForExit(seconds: Double = 30) -> Exit? {
    for _ in 0..<Int(seconds * 200) {
      if let exit = exit() { return exit }
      usleep(5000)
    }
    return exit()
  }

  /// Sends a signal, unless it has ended.
  public func signal(_ number: Int32) {
    if exit() == nil { Glibc.kill(pid, number) }
  }
}

/// Calls with a null-terminated array of C strings.
private func withCStrings<Result>(
  _ strings: [String],
  _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  let pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(
    capacity: strings.count + 1)
  for (index, string) in strings.enumerated() {
    (pointers + index).initialize(to: strdup(string))
  }
  (pointers + strings.count).initialize(to: nil)
  defer {
    for index in strings.indices { free(pointers[index]) }
    pointers.deallocate()
  }
  return body(pointers)
}
