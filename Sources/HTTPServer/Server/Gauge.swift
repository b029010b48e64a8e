import CEvHTTP

/// The number of open connections, shared by the loops of one server.
///
/// `@unchecked Sendable`: the C side is an atomic integer.
final class Gauge: @unchecked Sendable {
  let pointer: OpaquePointer

  init?() {
    guard let pointer = ceh_gauge_new() else { return nil }
    self.pointer = pointer
  }

  deinit { ceh_gauge_free(pointer) }

  var value: Int { ceh_gauge_value(pointer) }

  /// The handshakes of TLS that were finished.
  var handshakes: Int { ceh_gauge_handshakes(pointer) }
}
