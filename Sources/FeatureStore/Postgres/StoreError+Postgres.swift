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
    // Another transaction was faster, also to make a version of a collection.
    case "22P02" where reason.contains(PostgresQueries.othersWereFaster):
      self = .conflict(reason: PostgresQueries.othersWereFaster)
    case "40001", "40P01", "23505": self = .conflict(reason: reason)
    // No state: told by libpq, not by the server. Or taken over by a standby, or held up by others.
    case "", "25006", "55P03", "57014", "25P03": self = .away(reason: reason)
    // Restarted, or out of connections or memory.
    case _ where ["08", "53", "57P"].contains { state.begins(with: $0) }:
      self = .away(reason: reason)
    case "42501": self = .readOnly(reason: reason)
    case "42P01", "42703", "3F000", "42883", "42804": self = .damaged(path: path, reason: reason)
    default: self = .io(reason: reason)
    }
  }

  /// The error of a connection that has ended with this one, whatever that was.
  var asLoss: StoreError { if case .away = self { self } else { .away(reason: "\(self)") } }

  /// The error of a connection.
  static func lost(_ connection: OpaquePointer?, _ address: PostgresAddress) -> StoreError {
    let reason = connection.flatMap(PostgresConnection.message(of:)) ?? "the connection was lost"
    return .away(reason: "\(address.name): \(reason)")
  }
}
