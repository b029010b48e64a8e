import Glibc
import Texts

/// Another program whose output is read while it runs. It ends with its owner.
final class ChildProgram {
  typealias Failure = CommandFailure

  let name: String
  private var process: pid_t = 0
  private var output: Int32 = -1
  private var errors: Int32 = -1
  /// The line that it is writing to standard error, and the last ones that it wrote, but for warnings and lists.
  private var line: [UInt8] = []
  private var lines: [String] = []
  private static let (longestLine, keptLines) = (1024, 5)
  /// The first line by which it told of an error.
  private(set) var error: String?
  /// Whether it said that it stopped at the first feature that it could not convert.
  private(set) var stoppedEarly = false
  /// The first different warnings, and the number of those that came after them.
  private var warnings: [String] = []
  private var moreWarnings = 0
  private static let keptWarnings = 5
  /// Warnings that tell nothing of values: of types that JSON doesn't have, of what a note says already, and of formats to
  /// leave out that it doesn't have.
  private static let idleWarnings = [
    "does not natively support", "No SRS set on layer", "Unable to find driver",
  ]

  /// Starts a program of the PATH, without a shell.
  ///
  /// - Parameters:
  ///   - arguments: its name, and its arguments.
  init(_ arguments: [String]) throws {
    name = arguments.first ?? ""
    let out = try ChildProgram.pipe(name)
    output = out.reading
    defer { close(out.writing) }
    let error = try ChildProgram.pipe(name)
    errors = error.reading
    defer { close(error.writing) }

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, out.writing, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, error.writing, STDERR_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The signals that this process ignores.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGPIPE, SIGXFSZ] { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var texts = arguments.map { strdup($0) }
    defer { for text in texts { free(text) } }
    texts.append(nil)
    let code = posix_spawnp(&process, name, &actions, &attributes, texts, environ)
    guard code == 0 else {
      process = 0
      throw ChildProgram.failure(name, code)
    }
  }

  deinit {
    if process > 0 {
      kill(process, SIGKILL)
      _ = wait()
    }
    for descriptor in [output, errors] where descriptor >= 0 { close(descriptor) }
  }

  /// A pipe that no other program inherits.
  private static func pipe(_ name: String) throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw failure(name, errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func failure(_ name: String, _ code: Int32) -> Failure {
    code == ENOENT
      ? Failure("the program \(name) isn't installed: apt install gdal-bin")
      : Failure("\(name) cannot be run", code)
  }

  /// Reads its next output; returns 0 at the end.
  ///
  /// - Throws: a ``CommandFailure`` with its last words, if it has failed.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    while process > 0 {
      try StopSignal.check()
      var ready = [
        pollfd(fd: output, events: Int16(POLLIN), revents: 0),
        pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&ready, 2, -1) >= 0 else {
        guard errno == EINTR else { throw ChildProgram.failure(name, errno) }
        continue
      }
      if ready[1].revents != 0 { readErrors() }
      guard ready[0].revents != 0 else { continue }
      let count = Glibc.read(output, buffer.baseAddress, buffer.count)
      if count > 0 { return count }
      if count == 0 { try finish() }
    }
    return 0
  }

  /// Reads all that it writes, of which it keeps only so many bytes.
  func readAll(keeping most: Int) throws -> [UInt8] {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try buffer.withUnsafeMutableBytes { try read(into: $0) }
      guard count > 0 else { return all }
      all += buffer[..<min(count, max(most - all.count, 0))]
    }
  }

  /// Reads what there is on standard error; closes it at its end.
  private func readErrors() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(errors, &buffer, buffer.count)
    if count > 0 {
      for byte in buffer[..<count] {
        if byte == 0x0A {
          endLine()
        } else if line.count < ChildProgram.longestLine {
          line.append(byte)
        }
      }
    } else if count == 0 || errno != EINTR {
      endLine()
      close(errors)
      errors = -1
    }
  }

  private func endLine() {
    let text = String(decoding: line, as: UTF8.self)
    line.removeAll()
    if text.begins(with: "Warning") {
      return warn((text.cut(at: UInt8(ascii: ":")).1 ?? text[...]).trimmed)
    }
    // It names flags of its own.
    if text.begins(with: "ERROR 1: Terminating translation") { stoppedEarly = true }
    let idle = ["  ->", "FAILURE:", "ERROR 1: Terminating translation", "translation of layer "]
    guard !text.isEmpty, !idle.contains(where: text.begins) else { return }
    if text.begins(with: "ERROR ") { error = error ?? text }
    lines = (lines + [text]).suffix(ChildProgram.keptLines)
  }

  private func warn(_ text: Substring) {
    guard !ChildProgram.idleWarnings.contains(where: text.holds),
      !warnings.contains(where: { $0.isSame(as: text) })
    else { return }
    if warnings.count < ChildProgram.keptWarnings {
      warnings.append(String(text))
    } else {
      moreWarnings += 1
    }
  }

  /// Its warnings so far, a few of them and the number of the others.
  var notes: [String] {
    warnings.map { "\(name) warns: \($0)" }
      + (moreWarnings > 0 ? ["\(name) gave \(moreWarnings.counted("more warning"))"] : [])
  }

  /// Waits for its end, and throws if it has failed.
  private func finish() throws {
    while errors >= 0 { readErrors() }
    let status = wait()
    process = 0
    // The signal of a terminal comes to both.
    try StopSignal.check()
    guard status != 0 else { return }
    let said = lines.joined(separator: "; ")
    throw Failure(said.isEmpty ? "\(name) failed" : "\(name) failed: \(said)")
  }

  private func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status
  }
}
