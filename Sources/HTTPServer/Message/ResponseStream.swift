/// The body of a response that is sent piece by piece; see ``HTTPResponse/stream``.
///
/// A stream ends when its owner finishes, drops or releases it, when the client goes away (closing its
/// sending half counts), when the client takes nothing for the idle timeout, and when the server shuts
/// down. A stream that has ended ignores calls. Every member may be used on any thread; none blocks.
public final class ResponseStream: Sendable {
  /// The connection that carries a stream. Its members mean what those of the stream mean.
  protocol Connection: Sendable {
    func send(_ bytes: [UInt8])
    func finish()
    func drop()
    var pendingBytes: Int { get }
    var isEnded: Bool { get }
    func onEnd(_ body: @escaping @Sendable () -> Void)
  }

  private let connection: any Connection

  init(_ connection: any Connection) { self.connection = connection }

  deinit { connection.finish() }

  /// Sends bytes after those sent before. They stay in memory until the client has taken them; see
  /// ``pendingBytes``.
  public func send(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    connection.send(bytes)
  }

  /// Ends the stream after everything that was sent.
  public func finish() { connection.finish() }

  /// Closes the connection at once. Bytes that the client has not taken are lost.
  public func drop() { connection.drop() }

  /// The approximate number of bytes that were sent and are still in this process's memory.
  public var pendingBytes: Int { connection.pendingBytes }

  /// Whether the stream has ended.
  public var isEnded: Bool { connection.isEnded }

  /// Calls `body` once the stream has ended: on a thread of the server, so it must be quick, or before
  /// this returns if the stream has already ended. A second call replaces the first.
  public func onEnd(_ body: @escaping @Sendable () -> Void) { connection.onEnd(body) }
}
