import Dispatch
import Glibc
import Threading

/// Lines on their way to a file descriptor, which a thread of its own writes.
final class LogOutput: Sendable {
  private struct Waiting {
    var bytes: [UInt8] = []
    var isWriting = false
    var dropped = 0
  }

  /// The most bytes that wait.
  private static let room = 1 << 20
  /// How long ``flush()`` waits, in milliseconds.
  private static let patience = 1000

  private static let newline = UInt8(ascii: "\n")
  private let waiting = Locked(Waiting())
  private let arrivals = DispatchSemaphore(value: 0)
  private let descriptor: Int32

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Starts the thread, which inherits the caller's blocked signals. Nothing ends it but the end of the
  /// process, as it may be writing to a pipe that nobody reads. Without a thread, nothing is logged.
  func start() {
    let (waiting, arrivals, descriptor) = (self.waiting, self.arrivals, self.descriptor)
    let thread = SystemThread {
      var isCut = false
      while true {
        arrivals.wait()
        let bytes = waiting.withLock { waiting in
          defer { waiting.bytes = [] }
          waiting.isWriting = true
          return waiting.bytes
        }
        // The rest of a line that was lost is missing, and the next one isn't its end.
        if isCut { isCut = LogOutput.write([LogOutput.newline], to: descriptor) == 0 }
        let written = bytes.prefix(isCut ? 0 : LogOutput.write(bytes, to: descriptor))
        if let last = written.last { isCut = last != LogOutput.newline }
        let lost = bytes[written.endIndex...]
        waiting.withLock { waiting in
          waiting.dropped += lost.count { $0 == LogOutput.newline }
          waiting.isWriting = false
        }
      }
    }
    thread?.detach()
  }

  /// Appends a line, or drops it if too much waits.
  func append(_ line: [UInt8]) {
    let isFirst = waiting.withLock { waiting in
      guard waiting.bytes.count + line.count <= LogOutput.room else {
        waiting.dropped += 1
        return false
      }
      defer { waiting.bytes += line }
      return waiting.bytes.isEmpty
    }
    if isFirst { arrivals.signal() }
  }

  /// The number of lines that were dropped since the last call, once there is room again.
  func takeDropped() -> Int {
    waiting.withLock { waiting in
      guard waiting.dropped > 0, waiting.bytes.count < LogOutput.room / 2 else { return 0 }
      defer { waiting.dropped = 0 }
      return waiting.dropped
    }
  }

  /// Waits until everything is written, but not for ever.
  func flush() {
    for _ in 0..<LogOutput.patience {
      if waiting.withLock({ $0.bytes.isEmpty && !$0.isWriting }) { return }
      usleep(1000)
    }
  }

  /// Writes bytes, and waits where the descriptor is full. Returns the number of those that were written before an error.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        let count = Glibc.write(descriptor, part.baseAddress, part.count)
        if count < 0, errno == EINTR { continue }
        if count < 0, errno == EAGAIN {
          var full = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&full, 1, -1)
          continue
        }
        guard count > 0 else { break }
        rest = rest.dropFirst(count)
      }
      return bytes.count - rest.count
    }
  }
}
