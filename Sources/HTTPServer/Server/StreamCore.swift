import CEvHTTP
import Synchronization
import Threading

/// The state that the owner of a stream and its connection share.
///
/// `@unchecked Sendable`: `pointer`, `bytesSent` and `log` are used only on the thread of the loop, or
/// after that has ended, except for the count of unsent bytes, which the shim allows on any thread. The
/// rest is atomic or locked. The connection retains this from the beginning of the stream to its end,
/// and so does every posted job. This retains the loop only until the stream ends: handlers may keep
/// streams, and would otherwise keep the loop that keeps the handler.
final class StreamCore: ResponseStream.Connection, @unchecked Sendable {
  private struct State {
    /// Nil once the stream has ended.
    var loop: Loop?
    var onEnd: (@Sendable () -> Void)?
  }

  private let pointer: OpaquePointer
  private let state: Locked<State>
  /// Bytes on their way to the thread of the loop.
  private let posted = Atomic<Int>(0)
  private var bytesSent = 0
  private var log: ((_ bytesSent: Int) -> Void)?

  /// Creates a stream that has not begun. Returns nil without memory for it.
  init?(_ loop: Loop) {
    guard let pointer = ceh_stream_new() else { return nil }
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

  func send(_ bytes: [UInt8]) {
    posted.add(bytes.count, ordering: .relaxed)
    let isPosted = post { core in
      core.bytesSent += bytes.withUnsafeBytes {
        ceh_stream_send(core.pointer, $0.baseAddress, $0.count)
      }
      // Only now, when the shim counts them as unsent, so that they are counted at every moment.
      core.posted.subtract(bytes.count, ordering: .relaxed)
    }
    if !isPosted { posted.subtract(bytes.count, ordering: .relaxed) }
  }

  func finish() { post { ceh_stream_finish($0.pointer) } }

  func drop() { post { ceh_stream_drop($0.pointer) } }

  /// Runs a job on the thread of the loop after the jobs posted before it. Returns false, without
  /// running it, once the stream has ended.
  @discardableResult
  private func post(_ job: @escaping @Sendable (StreamCore) -> Void) -> Bool {
    guard let loop = state.withLock({ $0.loop }) else { return false }
    return loop.post { job(self) }
  }

  // MARK: On the thread of the loop

  /// Begins the stream as the reply to an exchange.
  func begin(_ exchange: OpaquePointer, _ response: inout ceh_response) {
    bytesSent = ceh_exchange_stream(
      exchange, &response, pointer,
      { $0.map { Unmanaged<StreamCore>.fromOpaque($0).takeRetainedValue().end() } },
      Unmanaged.passRetained(self).toOpaque())
  }

  /// Calls `log` with the number of bytes handed over once the stream, which has begun, has ended.
  func atEnd(_ log: @escaping (_ bytesSent: Int) -> Void) {
    if isEnded { log(bytesSent) } else { self.log = log }
  }

  /// Marks the stream as ended and tells its owner.
  func end() {
    let before = state.withLock { state in
      defer { state = State() }
      return state
    }
    before.loop?.assertConfined()
    before.onEnd?()
    log?(bytesSent)
    log = nil
  }
}
