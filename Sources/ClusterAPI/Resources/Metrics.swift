import Collections
import FeatureStore
import HTTPServer
import Threading

/// The service's metrics, as Prometheus text.
public final class Metrics: Sendable {
  /// Functions and values of other parts that are read at each scrape.
  private struct Sources: Sendable {
    var openConnections: @Sendable () -> Int = { 0 }
    var handshakes: @Sendable () -> Int = { 0 }
    var version = ""
    var tenants: Tenants?
  }

  private struct Counts: Sendable {
    var requests = RequestCounts(routes: [], unknown: "")
    /// How long requests waited and worked, by their queues.
    var waited: [WorkQueue.Lane: Distribution] = [:]
    var worked: [WorkQueue.Lane: Distribution] = [:]
    var bytesSent = 0
    var bytesReceived = 0
  }

  // One lock for each request takes tens of nanoseconds.
  private let counts = Locked(Counts())
  private let sources = Locked(Sources())
  /// The refusals, by reason.
  let refusals = Refusals()

  /// Counters at zero.
  public init() {}

  /// Sets the version of the program, and the functions that count open connections and finished handshakes.
  public func setServer(
    version: String, openConnections: @escaping @Sendable () -> Int,
    handshakes: @escaping @Sendable () -> Int
  ) {
    sources.withLock { sources in
      (sources.version, sources.openConnections) = (version, openConnections)
      sources.handshakes = handshakes
    }
  }

  /// Prepares to count requests by the routes of an API. To be called before the first.
  func begin(routes: [String], unknown: String, _ tenants: Tenants) {
    counts.withLock { $0.requests = RequestCounts(routes: routes, unknown: unknown) }
    sources.withLock { $0.tenants = tenants }
  }

  /// Counts an answered request.
  public func count(_ log: RequestLog) {
    counts.withLock { counts in
      counts.requests.count(log)
      counts.bytesSent += log.bytesSent
      counts.bytesReceived += log.bytesReceived
      guard let lane = log.notes.lane.flatMap(WorkQueue.Lane.init(rawValue:)) else { return }
      counts.waited[lane, default: Distribution(.waits)].add(log.notes.waited)
      counts.worked[lane, default: Distribution(.moments)].add(log.notes.worked)
    }
  }

  /// Counts a refusal by the server, before there was a request.
  public func count(_ refusal: ConnectionRefusal) { refusals.count(refusal) }

  /// Everything, in Prometheus' text format 0.0.4.
  func text(
    _ catalog: Catalog, isReady: Bool, _ written: CollectionWriter.Counts, _ hub: ChangeHub,
    _ link: StoreLink?
  ) -> String {
    let (counts, sources) = (self.counts.withLock { $0 }, self.sources.withLock { $0 })
    var text = PrometheusText()
    text.add(
      "build_info", "gauge", "The program.",
      [("{version=\"\(sources.version)\",build=\"\(Metrics.build)\"}", "1")])
    text.gauge("ready", "1 while the service wants traffic.", isReady ? 1 : 0)
    text.gauge(
      "data_directory_lost", "1 while the data directory has been removed or replaced.",
      catalog.isDetached ? 1 : 0)
    if let link {
      text.gauge(
        "store_up", "1 while there is a connection to the shared store.", link.isUp ? 1 : 0)
      text.add(
        "store_age_seconds", "gauge", "How long ago everything that others had written was known.",
        [("", "\(Double(link.age / 1_000_000) / 1000)")])
      let done = link.counts
      for (name, help, count) in [
        ("losses", "How often the connection to the shared store was lost.", done.losses),
        ("changes", "Changes of collections by other instances.", done.changes),
        ("loads", "Collections loaded anew, as they had changed too much to follow.", done.loads),
        ("comparisons", "Comparisons of collections with their rows.", done.comparisons),
        ("drift", "Comparisons that found a difference.", done.drifts),
      ] { text.counter("store_\(name)_total", help, count) }
    }
    counts.requests.write(to: &text)
    text.add(
      "refused_total", "counter", "Requests and connections refused for the sake of others.",
      refusals.figures.map { ("{reason=\"\($0.reason.rawValue)\"}", "\($0.count)") })
    text.counter("sent_bytes_total", "Bytes of answers.", counts.bytesSent)
    text.counter("received_bytes_total", "Bytes of bodies of requests.", counts.bytesReceived)
    text.gauge("open_connections", "Connections open now.", sources.openConnections())
    text.counter(
      "tls_handshakes_total", "Handshakes of TLS that were finished.", sources.handshakes())
    text.histogram(
      "queue_wait_seconds", "How long requests waited away from the event loops, by queue.",
      Metrics.byLane(counts.waited, .waits))
    text.histogram(
      "queue_work_seconds", "How long requests were worked for there, by queue.",
      Metrics.byLane(counts.worked, .moments))
    Metrics.write(written, to: &text)
    let watching = hub.figures
    text.gauge("watchers", "Clients that watch changes now.", watching.watchers)
    text.counter(
      "change_events_total", "Events sent to clients that watch changes.", watching.events)
    text.counter(
      "dropped_watchers_total", "Clients dropped because they were too slow for events.",
      watching.dropped)
    let waits = catalog.waits.figures
    text.gauge("waiting_reads", "Reads that wait for a version now.", waits.waiting)
    text.add(
      "waits_total", "counter", "Waits of reads for a version, by how they ended.",
      [("{end=\"shown\"}", "\(waits.shown)"), ("{end=\"late\"}", "\(waits.late)")])
    Metrics.write(catalog, sources.tenants, to: &text)
    ProcessFigures.write(to: &text)
    return text.text
  }

  #if DEBUG
    private static let build = "debug"
  #else
    private static let build = "release"
  #endif

  private static func byLane(
    _ all: [WorkQueue.Lane: Distribution], _ scale: Distribution.Scale
  ) -> [(labels: String, value: Distribution)] {
    WorkQueue.Lane.allCases.map { ("lane=\"\($0.rawValue)\"", all[$0] ?? Distribution(scale)) }
  }

  private static func write(_ written: CollectionWriter.Counts, to text: inout PrometheusText) {
    text.counter("writes_total", "Writes that changed something.", written.writes)
    text.counter(
      "write_transactions_total", "Transactions that they were committed in.", written.commits)
    text.histogram(
      "write_wait_seconds", "How long writes waited for the writer.", [("", written.waited)])
    text.histogram(
      "write_apply_seconds", "How long transactions took until they were committed.",
      [("", written.applied)])
    text.histogram(
      "commit_duration_seconds", "How long commits took, with which writes are on disk.",
      [("", written.committed)])
    text.histogram("commit_writes", "Writes of a transaction.", [("", written.groups)])
  }

  /// Adds the figures of memory.
  private static func write(
    _ catalog: Catalog, _ tenants: Tenants?, to text: inout PrometheusText
  ) {
    let collections = CollectionFigures(catalog)
    func gauge(_ name: String, _ help: String, of value: (CollectionSnapshot) -> Int) {
      text.add(name, "gauge", help, collections.samples(of: value))
    }
    let answers = catalog.answers ?? AnswerCache()
    let cells = answers.cells.budget
    text.counter(
      "remembered_cells_total", "Cells of viewports that came from the cache.", cells.counts.cached)
    text.counter(
      "clustered_cells_total", "Cells of viewports that were clustered for the cache.",
      cells.counts.made)
    text.gauge("remembered_cell_bytes", "Memory of cached cells.", cells.memory.byteCount)
    let tiles = answers.tiles.budget
    text.counter("remembered_tiles_total", "Tiles that came from the cache.", tiles.counts.cached)
    text.counter("encoded_tiles_total", "Tiles that were encoded.", tiles.counts.made)
    text.gauge("remembered_tile_bytes", "Memory of cached tiles.", tiles.memory.byteCount)
    text.gauge("collections", "Collections.", collections.count)
    gauge("features", "Features of a collection.") { $0.index.count }
    gauge("index_bytes", "Memory of a collection's index without records.") { $0.index.byteCount }
    gauge("record_bytes", "Memory of a collection's records: ids, coordinates, properties.") {
      $0.index.records.byteCount
    }
    gauge("column_bytes", "Memory of columns that requests have made of properties.") {
      $0.collection.cachedByteCounts.columns
    }
    gauge("scope_bytes", "Memory of what is kept of the filters of requests.") {
      $0.collection.cachedByteCounts.scopes
    }
    let figures = tenants?.figures ?? (tenants: 0, views: 0, features: 0)
    text.gauge("tenants", "Filters of keys that were used lately.", figures.tenants)
    text.gauge("tenant_views", "Collections that are kept as tenants see them.", figures.views)
    text.gauge("tenant_features", "Features in those.", figures.features)
  }
}
