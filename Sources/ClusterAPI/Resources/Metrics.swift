import Glibc
import Threading
import HTTPServer

/// Counters of what the service does, as Prometheus text.
public final class Metrics: Sendable {
  private struct Counts {
    /// So few kinds that a linear search is quick.
    var requests: [(method: HTTPMethod, status: Int, count: Int)] = []
    var buckets = [Int](repeating: 0, count: Metrics.bounds.count)
    var seconds = 0.0
    var total = 0
    var bytes = 0
  }

  /// Upper bounds of the duration histogram, in microseconds.
  private static let bounds = [
    100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000,
  ]

  // One lock for each request takes tens of nanoseconds.
  private let counts = Locked(Counts())
  /// What was refused, by reason.
  let refusals = Refusals()
  private let connections = Locked<@Sendable () -> Int>({ 0 })

  /// Counters at zero.
  public init() {}

  /// Sets the function that tells the number of open connections.
  public func setConnections(_ source: @escaping @Sendable () -> Int) {
    connections.withLock { $0 = source }
  }

  /// Counts an answered request.
  public func count(_ log: RequestLog) {
    counts.withLock { counts in
      let index = counts.requests.firstIndex { $0.method == log.method && $0.status == log.status }
      if let index {
        counts.requests[index].count += 1
      } else {
        counts.requests.append((log.method, log.status, 1))
      }
      counts.total += 1
      counts.seconds += Double(log.microseconds) / 1e6
      counts.bytes += log.bytesSent
      if let bucket = Metrics.bounds.firstIndex(where: { log.microseconds <= $0 }) {
        counts.buckets[bucket] += 1
      }
    }
  }

  /// Counts what the server refused before it was a request.
  public func count(_ refusal: ConnectionRefusal) { refusals.count(refusal) }

  /// Everything, in Prometheus' text format 0.0.4.
  func text(_ catalog: Catalog, _ written: CollectionWriter.Counts, _ hub: ChangeHub) -> String {
    let counts = self.counts.withLock { $0 }
    let source = connections.withLock { $0 }
    let collections = CollectionFigures(catalog)
    var text = ""
    func metric(_ name: String, _ type: String, _ help: String, _ samples: [(String, String)]) {
      text += "# HELP pincluster_\(name) \(help)\n# TYPE pincluster_\(name) \(type)\n"
      for (suffix, value) in samples { text += "pincluster_\(name)\(suffix) \(value)\n" }
    }
    func counter(_ name: String, _ help: String, _ value: Int) {
      metric(name, "counter", help, [("", "\(value)")])
    }
    func gauge(_ name: String, _ help: String, _ value: Int) {
      metric(name, "gauge", help, [("", "\(value)")])
    }
    func gauge(_ name: String, _ help: String, of value: (CollectionSnapshot) -> Int) {
      metric(name, "gauge", help, collections.samples(of: value))
    }
    let requests = counts.requests.sorted {
      ($0.status, "\($0.method)") < ($1.status, "\($1.method)")
    }
    metric(
      "http_requests_total", "counter", "Answered requests.",
      requests.map { ("{method=\"\($0.method)\",status=\"\($0.status)\"}", "\($0.count)") })
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
    metric(
      "refused_total", "counter", "Requests and connections refused for the sake of others.",
      refusals.figures.map { ("{reason=\"\($0.reason.rawValue)\"}", "\($0.count)") })
    counter("http_sent_bytes_total", "Bytes of answers.", counts.bytes)
    gauge("open_connections", "Connections open now.", source())
    counter("writes_total", "Writes that changed something.", written.writes)
    counter(
      "write_transactions_total", "Transactions that they were committed in.",
      written.commits)
    gauge("ready", "1 when every collection is loaded.", catalog.isReady ? 1 : 0)
    let watching = hub.figures
    gauge("watchers", "Clients that watch changes now.", watching.watchers)
    counter(
      "change_events_total", "Events sent to clients that watch changes.", watching.events)
    counter(
      "dropped_watchers_total", "Clients dropped because they were too slow for events.",
      watching.dropped)
    let cache = catalog.cellCacheBudget
    counter(
      "remembered_cells_total", "Cells of viewports that came from the cache.", cache.counts.cached)
    counter(
      "clustered_cells_total", "Cells of viewports that were clustered for the cache.",
      cache.counts.clustered)
    gauge("remembered_cell_bytes", "Memory of cached cells.", cache.byteCount)
    let tiles = catalog.tileCacheBudget
    counter("remembered_tiles_total", "Tiles that came from the cache.", tiles.counts.cached)
    counter("encoded_tiles_total", "Tiles that were encoded.", tiles.counts.encoded)
    gauge("remembered_tile_bytes", "Memory of cached tiles.", tiles.byteCount)
    gauge("collections", "Collections.", collections.count)
    gauge("features", "Features of a collection.") { $0.index.count }
    gauge("index_bytes", "Memory of a collection's index without records.") { $0.index.byteCount }
    gauge("record_bytes", "Memory of a collection's records: ids, coordinates, properties.") {
      $0.index.records.byteCount
    }
    return text
  }
}
