import CEvHTTP

/// Why the server itself refused a connection or a request, or ended one.
public enum ConnectionRefusal: String, Sendable, CaseIterable {
  /// There were too many connections.
  case connections
  /// A request arrived too slowly.
  case late
  /// Too many bytes of requests waited.
  case inputMemory = "input_memory"
  /// An address had more than its share of connections or bytes of requests.
  case addressShare = "address_share"
  /// Too many bytes of responses waited.
  case outputMemory = "output_memory"
  /// A client took a response too slowly.
  case unread
  /// A handshake of TLS failed, or a client that should use TLS did not.
  case handshake
  /// The head of a request was too large.
  case headSize = "head_size"
  /// The body of a request was too large.
  case bodySize = "body_size"

  /// The refusal with the shim's number.
  init?(_ refusal: ceh_refusal) {
    switch refusal {
    case CEH_OVERLOAD: self = .connections
    case CEH_LATE: self = .late
    case CEH_FULL: self = .inputMemory
    case CEH_SHARE, CEH_CROWD: self = .addressShare
    case CEH_UNTAKEN: self = .outputMemory
    case CEH_UNREAD: self = .unread
    case CEH_HANDSHAKE, CEH_PLAIN: self = .handshake
    case CEH_HEAD_LIMIT: self = .headSize
    case CEH_BODY_LIMIT: self = .bodySize
    default: return nil
    }
  }
}
