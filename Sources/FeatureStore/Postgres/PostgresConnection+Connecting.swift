import CLibPQ
import Glibc
import Threading

/// Making a connection, and waiting for it.
extension PostgresConnection {
  /// Settings of the session. Without sequential scans and hashes, lists of ids are looked up one by one, however
  /// long the planner believes them to be. A server that would acknowledge commits before they are on disk is told not
  /// to. Values of attached tables are written the same way by all instances.
  static let session = """
    SELECT set_config('search_path', $1, false), set_config('jit', 'off', false),
      set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false),
      set_config('enable_mergejoin', 'off', false), set_config('enable_material', 'off', false),
      set_config('enable_bitmapscan', 'off', false), set_config('plan_cache_mode', 'force_generic_plan', false),
      set_config('lock_timeout', '4s', false), set_config('default_transaction_isolation', 'read committed', false),
      set_config('timezone', 'UTC', false), set_config('datestyle', 'ISO, MDY', false), set_config('intervalstyle', 'iso_8601', false),
      set_config('extra_float_digits', '1', false), set_config('bytea_output', 'hex', false),
      set_config('lc_monetary', 'C', false), set_config('standard_conforming_strings', 'on', false),
      set_config('idle_in_transaction_session_timeout', '20s', false), set_config('tcp_keepalives_idle', '5', false),
      set_config('tcp_keepalives_interval', '1', false), set_config('tcp_keepalives_count', '3', false),
      set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
        THEN 'on' ELSE current_setting('synchronous_commit') END, false)
    """

  /// Connects to a host.
  static func connect(
    _ host: PostgresHost, _ address: PostgresAddress, _ seconds: Double
  ) throws(StoreError) -> OpaquePointer {
    let keywords = Array(host.keys)
    var names = keywords.map { strdup($0) } + [nil]
    var values = keywords.map { strdup(host[$0] ?? "") } + [nil]
    defer { for string in names + values { free(string) } }
    let pointer = names.withUnsafeMutableBufferPointer { names in
      values.withUnsafeMutableBufferPointer { values in
        names.withMemoryRebound(to: UnsafePointer<CChar>?.self) { names in
          values.withMemoryRebound(to: UnsafePointer<CChar>?.self) { values in
            PQconnectStartParams(names.baseAddress, values.baseAddress, 0)
          }
        }
      }
    }
    guard let pointer else { throw .io(reason: "there is no memory for a connection") }
    switch finish(pointer, seconds) {
    case true?: break
    case false?:
      let message = message(of: pointer) ?? "the connection failed"
      PQfinish(pointer)
      throw .away(reason: message)
    case nil:
      // The message of libpq is the beginning of one.
      PQfinish(pointer)
      throw .away(reason: "\(address.name): no answer within \(Int(seconds)) s")
    }
    guard PQserverVersion(pointer) >= 130_000 else {
      PQfinish(pointer)
      throw .refused(reason: "\(address.name): PostgreSQL 13 or later is needed")
    }
    return pointer
  }

  /// The error of a connection, as libpq reports it, in one line; nil if there is none.
  static func message(of pointer: OpaquePointer) -> String? {
    let message = PQerrorMessage(pointer).map { String(cString: $0) } ?? ""
    let words = message.utf8.split { $0 <= 0x20 }
    return words.isEmpty ? nil : words.map { String(Substring($0)) }.joined(separator: " ")
  }

  /// Waits for a connection that was begun; returns whether it is there, or nil if there is no answer in time.
  private static func finish(_ pointer: OpaquePointer, _ seconds: Double) -> Bool? {
    let deadline = MonotonicTime.now + UInt(seconds * 1e9)
    var state = PGRES_POLLING_WRITING
    while true {
      switch state {
      case PGRES_POLLING_OK: return true
      case PGRES_POLLING_FAILED: return false
      default:
        let events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT
        guard wait(PQsocket(pointer), Int16(events), until: deadline) else { return nil }
        state = PQconnectPoll(pointer)
      }
    }
  }

  /// Waits until a descriptor is ready; returns false at the deadline.
  static func wait(_ descriptor: Int32, _ events: Int16, until deadline: UInt) -> Bool {
    var polled = pollfd(fd: descriptor, events: events, revents: 0)
    while true {
      let now = MonotonicTime.now
      guard now < deadline, descriptor >= 0 else { return false }
      let count = poll(&polled, 1, Int32(min((deadline - now) / 1_000_000 + 1, 60_000)))
      if count > 0 { return true }
      if count < 0, errno != EINTR { return false }
    }
  }
}
