import Glibc
import Threading
import HTTPServer

/// Counters of what the service does, as Prometheus text.
public final class Metrics: Sendable {
  private struct Counts {
    /// A handful of kinds, so they are looked through.
    var requests: [(key: Key, count: Int)] = []
    var buckets = [Int](repeating: 0, count: Metrics.bounds.count)
    var seconds = 0.0
    var total = 0
    var bytes = 0
  }

  private struct Key: Equatable {
    var method: HTTPMethod
    var status: Int
  }

  /// Upper bounds of the duration histogram, in microseconds.
  private static let bounds = [
    100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000,
  ]

  // A lock a request: tens of nanoseconds, and never held while anything else waits.
  private let counts = Locked(Counts())
  private let connections = Locked<@Sendable () -> Int>({ 0 })

  /// Counters at zero.
  public init() {}

  /// Where the number of open connections is to be had.
  public func setConnections(_ source: @escaping @Sendable () -> Int) {
    connections.withLock { $0 = source }
  }

  /// Counts an answered request.
  public func count(_ log: RequestLog) {
    counts.withLock { counts in
      let key = Key(method: log.method, status: log.status)
      if let place = counts.requests.firstIndex(where: { $0.key == key }) {
        counts.requests[place].count += 1
      } else {
        counts.requests.append((key, 1))
      }
      counts.total += 1
      counts.seconds += Double(log.microseconds) / 1e6
      counts.bytes += log.bytesSent
      if let bucket = Metrics.bounds.firstIndex(where: { log.microseconds <= $0 }) {
        counts.buckets[bucket] += 1
      }
    }
  }

  /// Everything, in Prometheus' text format 0.0.4.
  func text(
    _ catalog: Catalog, _ written: CollectionWriter.Counts, _ hub: ChangeHub
  ) -> String {
    let counts = self.counts.withLock { $0 }
    let source = connections.withLock { $0 }
    let collections = catalog.all
    var text = ""
    func metric(_ name: String, _ type: String, _ help: String, _ samples: [(String, String)]) {
      text += "# HELP pincluster_\(name) \(help)\n# TYPE pincluster_\(name) \(type)\n"
      for (suffix, value) in samples { text += "pincluster_\(name)\(suffix) \(value)\n" }
    }
    metric(
      "http_requests_total", "counter", "Answered requests.",
      counts.requests.sorted {
        ($0.key.status, "\($0.key.method)") < ($1.key.status, "\($1.key.method)")
      }
      .map {
        ("{method=\"\($0.key.method.description)\",status=\"\($0.key.status)\"}", "\($0.count)")
      })
    var cumulative = 0
    var samples: [(String, String)] = []
    for (bound, bucket) in zip(Metrics.bounds, counts.buckets) {
      cumulative += bucket
      samples.append(("_bucket{le=\"\(Double(bound) / 1e6)\"}", "\(cumulative)"))
    }
    samples += [
      ("_bucket{le=\"+Inf\"}", "\(counts.total)"), ("_sum", "\(counts.seconds)"),
      ("_count", "\(counts.total)"),
    ]
    metric(
      "http_request_duration_seconds", "histogram",
      "From a request being read to its answer being handed over.", samples)
    metric("http_sent_bytes_total", "counter", "Bytes of answers.", [("", "\(counts.bytes)")])
    metric("open_connections", "gauge", "Connections open now.", [("", "\(source())")])
    metric(
      "writes_total", "counter", "Writes that changed something.", [("", "\(written.writes)")])
    metric(
      "write_transactions_total", "counter", "Transactions that they were committed in.",
      [("", "\(written.commits)")])
    metric(
      "ready", "gauge", "1 when every collection is loaded.", [("", catalog.isReady ? "1" : "0")])
    let watching = hub.figures
    metric(
      "watchers", "gauge", "Clients that watch changes now.", [("", "\(watching.watchers)")])
    metric(
      "change_events_total", "counter", "Events sent to clients that watch changes.",
      [("", "\(watching.events)")])
    metric(
      "dropped_watchers_total", "counter", "Clients dropped because they were too slow for events.",
      [("", "\(watching.dropped)")])
    let cells = catalog.cellCacheBudget.counts
    metric(
      "remembered_cells_total", "counter", "Cells of views that were printed before.",
      [("", "\(cells.cached)")])
    metric(
      "clustered_cells_total", "counter", "Cells of views that were clustered to be remembered.",
      [("", "\(cells.clustered)")])
    metric(
      "remembered_cell_bytes", "gauge", "Memory of remembered cells.",
      [("", "\(catalog.cellCacheBudget.byteCount)")])
    metric("collections", "gauge", "Collections.", [("", "\(collections.count)")])
    metric(
      "features", "gauge", "Features of a collection.",
      collections.map { ("{collection=\"\($0.info.id)\"}", "\($0.index.count)") })
    metric(
      "index_bytes", "gauge", "Memory of a collection's index without records.",
      collections.map { ("{collection=\"\($0.info.id)\"}", "\($0.index.byteCount)") })
    metric(
      "record_bytes", "gauge", "Memory of a collection's records: ids, coordinates, properties.",
      collections.map { ("{collection=\"\($0.info.id)\"}", "\($0.index.records.byteCount)") })
    return text
  }
}
