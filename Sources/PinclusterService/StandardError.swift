import Glibc

/// Messages on standard error.
enum StandardError {
  /// Whether it is a terminal.
  static let isTerminal = isatty(STDERR_FILENO) == 1

  static func write(_ text: String) {
    var text = text
    text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  /// Shows a line in the place of the last one, where that is a terminal.
  static func show(_ line: String) { if isTerminal { write("\r\(line)\u{1B}[K") } }
}
