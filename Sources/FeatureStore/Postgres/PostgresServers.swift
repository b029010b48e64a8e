import Synchronization

/// The servers of a shared store, one of which is the primary at a time. Connections are made here, on any thread.
final class PostgresServers: Sendable {
  let address: PostgresAddress
  /// The schema of the tables.
  let schema: String
  /// The highest timeline that was seen. A server of an earlier one was replaced, even if it takes writes.
  private let timeline = Atomic<Int64>(0)
  /// The limit of time for each host, in seconds.
  private static let patience = 2.0

  /// See ``PostgresStore/Configuration``.
  let (many, rangeSize): (Int, Int)

  init(_ configuration: PostgresStore.Configuration) {
    (many, rangeSize) = (configuration.many, configuration.rangeSize)
    (address, schema) = (configuration.address, configuration.schema)
  }

  /// Connects to the first host that is as the address asks, and no server that was replaced.
  func connect() throws(StoreError) -> PostgresConnection {
    var failures: [String] = []
    var other: StoreError?
    for host in address.hosts {
      do {
        let connection = try PostgresConnection(
          to: host, of: address, schema: schema, within: PostgresServers.patience)
        let found =
          try connection.answer(
            to: PostgresQueries.timeline.with(), within: PostgresServers.patience
          ).first?.integer(0) ?? 0
        if timeline.max(found, ordering: .relaxed).newValue == found { return connection }
        failures.append("a server that was replaced is back, on timeline \(found)")
      } catch {
        if case .away(let reason) = error {
          failures.append(reason)
        } else {
          other = other ?? error
        }
      }
    }
    if let other { throw other }
    throw .away(reason: "\(address.name): \(failures.joined(separator: "; "))")
  }
}
