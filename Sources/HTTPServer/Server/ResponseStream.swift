import CEvHTTP
import Threading
import Synchronization

/// The body of an answer that is sent bit by bit, for as long as its owner wants; see
/// ``HTTPResponse/stream``.
///
/// It ends when its owner finishes, drops or lets go of it, when the client goes (closing its sending
/// half counts as that), when the client takes nothing for the idle timeout, and when the server shuts
/// down. From then on it does nothing. Everything may be called on any thread and waits for nothing.
public final class ResponseStream: Sendable {
  private let core: StreamCore

  init(_ core: StreamCore) { self.core = core }

  deinit { core.post { $0.finish() } }

  /// Sends bytes behind those that were sent before. They are kept in memory until the client has
  /// taken them: see ``pendingBytes``.
  public func send(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    core.send(bytes)
  }

  /// Ends the stream behind all that was sent.
  public func finish() { core.post { $0.finish() } }

  /// Closes the connection at once; what the client has not taken is lost.
  public func drop() { core.post { $0.drop() } }

  /// The bytes that were sent and are still in this process's memory, about.
  public var pendingBytes: Int { core.pendingBytes }

  /// Whether it takes no more.
  public var isEnded: Bool { core.isEnded }

  /// Calls `body` once the stream has ended: on a thread of the server, for which it must be quick, or
  /// here and now if it has ended already. A second call replaces the first.
  public func onEnd(_ body: @escaping @Sendable () -> Void) { core.onEnd(body) }
}

/// What a stream's owner and its connection share.
///
/// `@unchecked Sendable`: `pointer` is used on the loop's thread, or after that has ended, except for
/// the count of unsent bytes, which any thread may ask for; the rest is atomic or guarded. The
/// connection holds a reference from the stream's begin to its end, and so does everything that is
/// posted, so the memory is there for both. The core retains the loop for its posts, but not beyond the
/// stream's end: a server's handler may well hold streams, and would hold the loop that holds it.
final class StreamCore: @unchecked Sendable {
  private struct State {
    /// Nil once the stream has ended.
    var loop: Loop?
    var onEnd: (@Sendable () -> Void)?
  }

  private let pointer: OpaquePointer
  private let state: Locked<State>
  /// Bytes on their way to the loop's thread.
  private let posted = Atomic<Int>(0)
  /// Touched on the loop's thread only.
  private var bytesSent = 0
  private var log: ((_ bytesSent: Int) -> Void)?

  init(_ loop: Loop) {
    guard let pointer = ceh_stream_new() else { fatalError("out of memory") }
    self.pointer = pointer
    state = Locked(State(loop: loop))
  }

  deinit { ceh_stream_free(pointer) }

  var isEnded: Bool { state.withLock { $0.loop == nil } }

  var pendingBytes: Int {
    posted.load(ordering: .relaxed) + Int(clamping: ceh_stream_unsent(pointer))
  }

  func onEnd(_ body: @escaping @Sendable () -> Void) {
    let isEnded = state.withLock { state in
      if state.loop != nil { state.onEnd = body }
      return state.loop == nil
    }
    if isEnded { body() }
  }

  /// Sends bytes on the loop's thread.
  func send(_ bytes: [UInt8]) {
    posted.add(bytes.count, ordering: .relaxed)
    let isPosted = post { core in
      core.bytesSent += bytes.withUnsafeBytes {
        ceh_stream_send(core.pointer, $0.baseAddress, $0.count)
      }
      // After the bytes have become unsent ones, so that they are counted all the time.
      core.posted.subtract(bytes.count, ordering: .relaxed)
    }
    if !isPosted { posted.subtract(bytes.count, ordering: .relaxed) }
  }

  /// Runs a job on the loop's thread, behind those before it; false, and nothing runs, once the
  /// stream has ended.
  @discardableResult
  func post(_ job: @escaping @Sendable (StreamCore) -> Void) -> Bool {
    final class Box: Sendable {
      let core: StreamCore
      let job: @Sendable (StreamCore) -> Void

      init(_ core: StreamCore, _ job: @escaping @Sendable (StreamCore) -> Void) {
        (self.core, self.job) = (core, job)
      }
    }
    guard let loop = state.withLock({ $0.loop }) else { return false }
    let box = Unmanaged.passRetained(Box(self, job))
    let isPosted = ceh_loop_post(
      loop.pointer,
      {
        guard let box = $0.map({ Unmanaged<Box>.fromOpaque($0).takeRetainedValue() }) else {
          return
        }
        box.job(box.core)
      }, box.toOpaque())
    if !isPosted { box.release() }
    return isPosted
  }

  // MARK: On the loop's thread

  /// Begins the stream as the reply to an exchange.
  func begin(_ exchange: OpaquePointer, _ response: inout ceh_response) {
    bytesSent = ceh_exchange_stream(
      exchange, &response, pointer,
      { $0.map { Unmanaged<StreamCore>.fromOpaque($0).takeRetainedValue().end() } },
      Unmanaged.passRetained(self).toOpaque())
  }

  /// Calls `log` with all bytes that were handed over once the stream, which was begun, has ended.
  func atEnd(_ log: @escaping (_ bytesSent: Int) -> Void) {
    if isEnded { log(bytesSent) } else { self.log = log }
  }

  func finish() { ceh_stream_finish(pointer) }

  func drop() { ceh_stream_drop(pointer) }

  /// The stream, if it has begun at all, has ended.
  func end() {
    let before = state.withLock { state in
      defer { state = State() }
      return state
    }
    before.onEnd?()
    log?(bytesSent)
    log = nil
  }
}
