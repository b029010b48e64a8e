import Dispatch
import Glibc
import Threading

/// A proxy in front of PostgreSQL that counts batches, and does something to those that write.
public final class PostgresRelay: Sendable {
  /// What becomes of a batch that writes. Its connection is lost, unless it is only held.
  public enum Fate: Sendable {
    /// It is lost, too.
    case swallowed
    /// It is carried out, and its answer is lost.
    case unanswered
    /// The server gets it up to the statement that locks the collections.
    case cut
    /// The same, and the server isn't told that nothing more comes: the machine of the client is gone.
    case vanished
    /// The server gets it when ``release()`` is called.
    case late
    /// The server gets all but its end, and that when ``release()`` is called.
    case held
  }

  private struct State {
    var fates: [Fate] = []
    var batches = 0
  }

  /// The address of the database, by way of this proxy.
  public let url: String
  private let target: UInt16
  private let listener: Int32
  private let state = Locked(State())
  /// Signalled when a batch is held.
  public let isHeld = DispatchSemaphore(value: 0)
  private let released = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  /// - Parameter url: the address of the database, by 127.0.0.1.
  public init(to url: String) throws {
    let parts = url.split(separator: "127.0.0.1:", maxSplits: 1)
    guard parts.count == 2, let target = UInt16(parts[1].prefix { $0.isNumber }) else {
      throw TestClient.Failure.system("address", errno: EINVAL)
    }
    self.target = target
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    var own: UInt16 = 0
    let isBound = [listener].allSatisfy { listener in
      PostgresRelay.with(port: 0) { address in
        let isBound =
          bind(listener, address, size) == 0 && listen(listener, 16) == 0
          && getsockname(listener, address, &size) == 0
        address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { own = $0.pointee.sin_port }
        return isBound
      }
    }
    guard isBound else { throw TestClient.Failure.system("bind", errno: errno) }
    self.url =
      "\(parts[0])127.0.0.1:\(UInt16(bigEndian: own))\(parts[1].drop { $0.isNumber })"
    Threads.start { [listener, weak self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0, let self else { return }
        self.pass(client)
      }
    }.detach()
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// The number of batches so far, of all connections.
  public var batches: Int { state.withLock { $0.batches } }
  /// Says what becomes of the next batches that write, one after the other.
  public func lose(_ fates: [Fate]) { state.withLock { $0.fates = fates } }
  /// Whether that has happened to all of them.
  public var isDone: Bool { state.withLock { $0.fates.isEmpty } }
  /// Has the server get the batch that is late or held, and waits until it has it, or has answered it if it is late.
  public func release() {
    released.signal()
    ended.wait()
  }

  private static func with<R>(port: UInt16, _ body: (UnsafeMutablePointer<sockaddr>) -> R) -> R {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
    }
  }

  private func pass(_ client: Int32) {
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    _ = PostgresRelay.with(port: target) {
      connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
    var one: Int32 = 1
    for end in [client, server] {
      setsockopt(end, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }
    let pair = Pair(client: client, server: server)
    Threads.start { pair.answer() }.detach()
    Threads.start { self.ask(pair) }.detach()
  }

  /// Passes batches on to the server.
  private func ask(_ pair: Pair) {
    defer { pair.shut() }
    // Requests for encryption come before the first real message.
    var first: [UInt8] = []
    repeat {
      guard let message = pair.message(hasType: false) else { return }
      pair.toServer(message)
      first = message
    } while first.dropFirst(4).prefix(2) != [0, 3]
    var batch: [[UInt8]] = []
    while let message = pair.message(hasType: true) {
      batch.append(message)
      // A Sync ends a batch; what isn't of the extended protocol stands alone.
      guard !"PBDECFH".utf8.contains(message[0]) else { continue }
      let fate = state.withLock { state -> Fate? in
        state.batches += 1
        let writes = batch.contains { PostgresRelay.message($0, binds: "change") }
        return writes && !state.fates.isEmpty ? state.fates.removeFirst() : nil
      }
      if let fate {
        guard fate == .held else { return end(batch, fate, pair) }
        let end = batch.firstIndex { PostgresRelay.message($0, binds: "commit") } ?? 0
        pair.toServer(Array(batch[..<end].joined()))
        isHeld.signal()
        released.wait()
        pair.toServer(Array(batch[end...].joined()))
        ended.signal()
      } else {
        pair.toServer(Array(batch.joined()))
      }
      batch = []
    }
  }

  private func end(_ batch: [[UInt8]], _ fate: Fate, _ pair: Pair) {
    pair.cut()
    switch fate {
    case .swallowed, .held: break
    case .unanswered:
      pair.toServer(Array(batch.joined()))
      pair.isReady.wait()
    case .cut: pair.toServer(PostgresRelay.head(of: batch))
    case .vanished:
      pair.toServer(PostgresRelay.head(of: batch))
      pair.vanish()
    case .late:
      shutdown(pair.client, Int32(SHUT_RDWR))
      released.wait()
      pair.toServer(Array(batch.joined()))
      pair.isReady.wait()
      ended.signal()
    }
  }

  /// Has the kernel send nothing more for a connection, as where it moves to another machine. Only root may.
  @discardableResult
  private static func repair(_ socket: Int32) -> Bool {
    // TCP_REPAIR, which Swift doesn't see.
    var one: Int32 = 1
    return setsockopt(socket, Int32(IPPROTO_TCP), 19, &one, socklen_t(MemoryLayout<Int32>.size))
      == 0
  }

  /// Whether connections can vanish here.
  public static var canVanish: Bool {
    let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(probe) }
    return repair(probe)
  }

  /// A batch up to the statement that locks the collections.
  private static func head(of batch: [[UInt8]]) -> [UInt8] {
    let lock = batch.firstIndex { message($0, binds: "assume") } ?? 0
    let end = batch[lock...].firstIndex { $0.first == UInt8(ascii: "E") }
    return Array(batch[..<(end.map { $0 + 1 } ?? batch.endIndex)].joined())
  }

  /// Whether a message is a Bind of a statement.
  private static func message(_ message: [UInt8], binds name: String) -> Bool {
    message.first == UInt8(ascii: "B") && message.dropFirst(5).starts(with: [0] + name.utf8 + [0])
  }

  /// A connection of a client, and that to the server for it.
  private final class Pair: Sendable {
    let client, server: Int32
    /// Signalled when the server has answered a batch after ``cut()``.
    let isReady = DispatchSemaphore(value: 0)
    private let isCut = Locked(false)

    init(client: Int32, server: Int32) { (self.client, self.server) = (client, server) }

    deinit {
      close(client)
      close(server)
    }

    /// Has the client hear nothing more from the server.
    func cut() { isCut.withLock { $0 = true } }

    func shut() {
      for end in [client, server] { shutdown(end, Int32(SHUT_RDWR)) }
    }

    /// Ends the connection to the server without telling it.
    func vanish() {
      // What was sent has been received by then.
      usleep(200_000)
      PostgresRelay.repair(server)
      var nobody = sockaddr()
      connect(server, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
    }

    func toServer(_ bytes: [UInt8]) { Pair.send(bytes[...], to: server) }

    private static func send(_ bytes: ArraySlice<UInt8>, to socket: Int32) {
      var rest = bytes
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes {
          Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }

    private func read(_ count: Int) -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: count)
      let found = bytes.withUnsafeMutableBytes {
        recv(client, $0.baseAddress, count, Int32(MSG_WAITALL))
      }
      return found == count ? bytes : nil
    }

    func message(hasType: Bool) -> [UInt8]? {
      guard let head = read(hasType ? 5 : 4) else { return nil }
      let length = head.suffix(4).reduce(0) { $0 << 8 | Int($1) }
      guard length > 4 else { return length == 4 ? head : nil }
      return read(length - 4).map { head + $0 }
    }

    /// Passes the server's answers on.
    func answer() {
      defer { shut() }
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = recv(server, &bytes, bytes.count, 0)
        guard count > 0 else {
          isReady.signal()
          return
        }
        guard isCut.value else {
          Pair.send(bytes[..<count], to: client)
          continue
        }
        // ReadyForQuery is the last message of an answer.
        if count > 5, bytes[count - 6] == UInt8(ascii: "Z") { isReady.signal() }
      }
    }
  }
}
