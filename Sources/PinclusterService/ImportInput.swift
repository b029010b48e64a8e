import Glibc

/// A file, or standard input, read in chunks.
struct Input: ~Copyable {
  private let descriptor: Int32
  private let path: String
  private var buffer = [UInt8](repeating: 0, count: 1 << 20)
  /// The size in bytes; nil where it isn't known.
  let size: Int?
  /// How many bytes have been read.
  private(set) var position = 0

  /// Opens a file, or standard input for "-".
  init(path: String) throws(Import.Failure) {
    self.path = path
    descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      throw Import.Failure(description: "\(path) can't be opened: \(reason)")
    }
    var status = stat()
    let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    size = isFile ? Int(status.st_size) : nil
  }

  deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

  /// Whether it can be read a second time.
  var canRewind: Bool { size != nil && path != "-" }

  /// Back to the beginning.
  mutating func rewind() throws(Import.Failure) {
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw failure() }
    position = 0
  }

  /// Hands the next chunk over, which must not escape; false at the end.
  mutating func next(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
    while true {
      let count = buffer.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress, $0.count)
      }
      if count > 0 {
        position += count
        try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        return true
      }
      if count == 0 { return false }
      guard errno == EINTR else { throw failure() }
    }
  }

  private func failure() -> Import.Failure {
    Import.Failure(description: "\(path) can't be read: \(String(cString: strerror(errno)))")
  }
}

/// A progress bar on a terminal; nothing elsewhere.
struct Progress {
  private let label: String
  private let total: Int?
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private let start = ContinuousClock.now
  private var shown = ContinuousClock.now

  init(label: String, total: Int?) {
    self.label = label
    self.total = total
  }

  /// Shows how far it is, a few times a second.
  mutating func show(bytes: Int, features: Int) {
    let now = ContinuousClock.now
    guard isTerminal, shown.duration(to: now) > .milliseconds(100) else { return }
    shown = now
    let rate = Int(Double(features) / max(start.duration(to: now) / .seconds(1), 0.001))
    var line = "\r\(label) "
    if let total, total > 0 {
      let share = min(Double(bytes) / Double(total), 1)
      let filled = Int(share * 30)
      line +=
        "[" + String(repeating: "#", count: filled)
        + String(repeating: ".", count: 30 - filled) + "] \(Int(share * 100)) % "
    }
    StandardError.write("\(line)\(features) features, \(rate) a second\u{1B}[K")
  }

  /// Clears the line.
  func end() {
    if isTerminal { StandardError.write("\r\u{1B}[K") }
  }
}
