import Glibc
import TestSupport
import Threading

/// A proxy on 127.0.0.1 that answers its first connections with errors, and passes the bytes of all others on.
final class FlakyRelay: Sendable {
  let port: UInt16
  private let listener: Int32

  /// - Parameter answers: the answers to the first connections, in their order.
  init(to target: UInt16, first answers: [String]) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = FlakyRelay.address(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 16) == 0
          && getsockname(listener, $0, &size) == 0
      }
    }
    guard isBound else { throw TestClient.Failure.system("bind", errno: errno) }
    (self.listener, port) = (listener, UInt16(bigEndian: address.sin_port))
    Threads.start {
      var answers = answers[...]
      while true {
        let client = accept(listener, nil, nil)
        if client < 0 { return }
        guard let answer = answers.popFirst() else {
          FlakyRelay.pass(client, to: target)
          continue
        }
        var request = [UInt8](repeating: 0, count: 1 << 16)
        _ = recv(client, &request, request.count, 0)
        _ = send(client, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
        close(client)
      }
    }.detach()
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  /// Passes bytes on in both directions until one side closes.
  private static func pass(_ client: Int32, to target: UInt16) {
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = address(target)
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    let open = Locked(2)
    for (source, sink) in [(client, server), (server, client)] {
      Threads.start {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
          let count = recv(source, &bytes, bytes.count, 0)
          guard count > 0, send(sink, bytes, count, Int32(MSG_NOSIGNAL)) == count else { break }
        }
        for end in [source, sink] { shutdown(end, Int32(SHUT_RDWR)) }
        guard
          open.withLock({
            $0 -= 1; return $0 == 0
          })
        else { return }
        for end in [source, sink] { close(end) }
      }.detach()
    }
  }
}
