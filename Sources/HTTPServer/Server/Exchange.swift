import CEvHTTP
import Synchronization

/// One request that waits for its reply.
///
/// `@unchecked Sendable`: `pointer` is used as ``Delivery`` says; the atomic flag ensures that it is used, and
/// thereby freed, exactly once.
final class Exchange: HTTPRequest.Origin, @unchecked Sendable {
  private let delivery: Delivery
  private let replied = Atomic<Bool>(false)

  init(_ pointer: OpaquePointer, loop: Loop, context: LoopContext, request: HTTPRequest) {
    delivery = Delivery(pointer, loop, context, request)
  }

  deinit {
    guard !replied.load(ordering: .acquiring) else { return }
    let target = delivery.request.target
    delivery.deliver(delivery.error(500, "the request was not answered", target: target))
  }

  var isAbandoned: Bool {
    !replied.load(ordering: .acquiring) && ceh_exchange_is_abandoned(delivery.pointer)
  }

  /// The bytes of the body that came; to be set before the request is handed on.
  var bytesReceived: Int {
    get { delivery.bytesReceived }
    set { delivery.bytesReceived = newValue }
  }

  var microseconds: Int { delivery.microseconds }

  func note(_ change: (inout RequestNotes) -> Void) { change(&delivery.notes) }

  /// Sends the response. Only the first call has an effect.
  func reply(_ response: HTTPResponse) {
    guard !replied.exchange(true, ordering: .acquiringAndReleasing) else { return }
    delivery.deliver(response)
  }

  /// Replies with an error that the handler knows nothing of.
  func fail(_ status: Int, _ reason: String, target: String? = nil) {
    reply(delivery.error(status, reason, target: target))
  }
}
