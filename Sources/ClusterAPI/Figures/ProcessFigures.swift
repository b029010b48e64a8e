import Glibc
import Texts

/// The system's figures of this process, under the names that every program uses.
enum ProcessFigures {
  /// Adds the figures that can be read. It reads some files of /proc.
  static func write(to text: inout PrometheusText) {
    let ticks = Double(max(sysconf(Int32(_SC_CLK_TCK)), 1))
    // Behind the name, which may hold anything.
    let fields =
      read("/proc/self/stat").parts(separatedBy: UInt8(ascii: ")")).last?
      .trimmed.parts(separatedBy: UInt8(ascii: " ")) ?? []
    if fields.count > 21, let user = Double(fields[11]), let system = Double(fields[12]),
      let start = Double(fields[19]), let size = Int(fields[20]), let pages = Int(fields[21])
    {
      text.common(
        "process_cpu_seconds_total", "counter", "Processor time so far.",
        "\((user + system) / ticks)")
      text.common(
        "process_resident_memory_bytes", "gauge", "Memory in use.", "\(pages * Int(getpagesize()))")
      text.common("process_virtual_memory_bytes", "gauge", "Address space in use.", "\(size)")
      let boot = read("/proc/stat").parts(separatedBy: UInt8(ascii: "\n")).lazy
        .compactMap { $0.after("btime ") }.first
      if let seconds = boot.flatMap({ Double($0) }) {
        text.common(
          "process_start_time_seconds", "gauge", "When it was started, since 1970.",
          "\(seconds + start / ticks)")
      }
    }
    if let count = descriptors() {
      text.common("process_open_fds", "gauge", "Open files and sockets.", "\(count)")
    }
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
      text.common(
        "process_max_fds", "gauge", "The most files and sockets that may be open.",
        "\(limit.rlim_cur)")
    }
  }

  /// The number of open descriptors.
  private static func descriptors() -> Int? {
    guard let folder = opendir("/proc/self/fd") else { return nil }
    defer { closedir(folder) }
    // Not the folder, its parent, and the descriptor that reads it.
    var count = -3
    while Glibc.readdir(folder) != nil { count += 1 }
    return max(count, 0)
  }

  /// The beginning of a file.
  private static func read(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    // In /proc/stat, the wanted line is behind lines for each processor and interrupt.
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16 << 10)
    while bytes.count < 1 << 20 {
      let count = Glibc.read(descriptor, &piece, piece.count)
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
