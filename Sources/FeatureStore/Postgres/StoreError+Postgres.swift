import CLibPQ
internal import Texts

extension StoreError {
  /// The error that a server's result tells.
  init(_ result: OpaquePointer, on address: PostgresAddress) {
    let state =
      PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) } ?? ""
    let message =
      PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) }
      ?? "it failed"
    self.init(state: state, reason: "\(address.name): \(message)", path: address.name)
  }

  /// The error of a state: https://www.postgresql.org/docs/15/errcodes-appendix.html.
  private init(state: String, reason: String, path: String) {
    switch state {
    case "53100": self = .full(reason: reason)
    case "40001", "40P01": self = .conflict(reason: reason)
    // Taken over by a standby, restarted, out of connections, or held up by others.
    case "25006", "53300", "55P03", "57014", "25P03": self = .away(reason: reason)
    case _ where state.begins(with: "08") || state.begins(with: "57P"): self = .away(reason: reason)
    case "42501": self = .readOnly(reason: reason)
    case "42P01", "42703", "3F000", "42883", "42804": self = .damaged(path: path, reason: reason)
    default: self = .io(reason: reason)
    }
  }

  /// The error of a connection.
  static func lost(_ connection: OpaquePointer?, _ address: PostgresAddress) -> StoreError {
    let reason = connection.flatMap(PostgresConnection.message(of:)) ?? "the connection was lost"
    return .away(reason: "\(address.name): \(reason)")
  }
}
