import CEvHTTP
import Synchronization

/// One request that waits for its reply.
///
/// `@unchecked Sendable`: `pointer` is used as ``Delivery`` says; the atomic flag ensures that it is used, and
/// thereby freed, exactly once.
final class Exchange: HTTPRequest.Origin, @unchecked Sendable {
  let delivery: Delivery
  private let replied = Atomic<Bool>(false)

  init(_ pointer: OpaquePointer, loop: Loop, context: LoopContext, request: HTTPRequest) {
    delivery = Delivery(pointer, loop, context, request)
  }

  deinit {
    guard !replied.load(ordering: .acquiring) else { return }
    delivery.deliver(delivery.error(500, "the request was not answered"))
  }

  var isAbandoned: Bool {
    !replied.load(ordering: .acquiring) && ceh_exchange_is_abandoned(delivery.pointer)
  }

  var microseconds: Int { delivery.microseconds }

  func note(_ change: (inout RequestNotes) -> Void) { change(&delivery.notes) }

  /// Sends the response. Only the first call has an effect.
  func reply(_ response: HTTPResponse) {
    guard !replied.exchange(true, ordering: .acquiringAndReleasing) else { return }
    delivery.deliver(response)
  }

  /// Replies with an error that the handler knows nothing of.
  func fail(_ status: Int, _ reason: String) { reply(delivery.error(status, reason)) }
}
