import Glibc
import HTTPServer
import Texts
import Threading

/// The service manager that started this process, as far as it wants to hear from it: systemd's side of
/// sd_notify(3). Messages are datagrams to a socket; one that can't be sent is lost.
struct ServiceManager: Sendable {
  /// The socket's address; nil if there is no service manager.
  private let address: sockaddr_un?
  private let length: socklen_t
  /// How often ``isAlive()`` has to be called, in seconds; nil if it need not be.
  let watchdogSeconds: Double?

  /// Reads the variables NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.
  init(_ variable: (String) -> String? = Environment.value) {
    (address, length) = ServiceManager.address(variable("NOTIFY_SOCKET"))
    let isMine = variable("WATCHDOG_PID").map { $0 == "\(getpid())" } ?? true
    let interval = variable("WATCHDOG_USEC").flatMap { UInt64($0) } ?? 0
    // Twice in the time after which the manager would act.
    watchdogSeconds = address != nil && isMine && interval > 0 ? Double(interval) / 2e6 : nil
  }

  /// The address of a socket: a path, or a name that begins with @ and is in no file system.
  private static func address(_ name: String?) -> (sockaddr_un?, socklen_t) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let start = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 0
    guard let name, name.begins(with: "/") || name.begins(with: "@"), name.utf8.count > 1,
      name.utf8.count < MemoryLayout<sockaddr_un>.size - start
    else { return (nil, 0) }
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      path.copyBytes(from: name.utf8)
      if path[0] == UInt8(ascii: "@") { path[0] = 0 }
    }
    return (address, socklen_t(start + name.utf8.count))
  }

  /// Everything is loaded, at first or again.
  func isReady(_ status: String) { send("READY=1\nSTATUS=\(status)") }

  /// Settings are being read again. ``isReady(_:)`` follows.
  func isReloading() {
    let microseconds = MonotonicTime.now / 1000
    send("RELOADING=1\nMONOTONIC_USEC=\(microseconds)\nSTATUS=Reading settings again")
  }

  /// The service is going to end.
  func isStopping() { send("STOPPING=1\nSTATUS=Finishing requests") }

  /// Reports the service's present state.
  func isDoing(_ status: String) { send("STATUS=\(status)") }

  /// The service works; see ``watchdogSeconds``.
  func isAlive() { send("WATCHDOG=1") }

  private func send(_ message: String) {
    guard var address else { return }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var message = message
    message.withUTF8 { bytes in
      withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          _ = sendto(
            descriptor, bytes.baseAddress, bytes.count,
            Int32(MSG_NOSIGNAL | MSG_DONTWAIT), $0, length)
        }
      }
    }
  }
}

/// Tells the service manager that each event loop runs, as long as that is so. Everything that a client asks for
/// begins there.
final class Watchdog: Sendable {
  private let end = TimedSemaphore()
  private let thread: SystemThread?

  /// Begins, if the manager wants to hear of it.
  init(_ manager: ServiceManager, _ server: HTTPServer) {
    guard let seconds = manager.watchdogSeconds else {
      thread = nil
      return
    }
    thread = SystemThread { [end] in
      while !end.wait(atMost: seconds) {
        if server.responds(within: seconds) { manager.isAlive() }
      }
    }
  }

  /// Ends it. Must be called once.
  func stop() {
    end.signal()
    thread?.join()
  }
}
