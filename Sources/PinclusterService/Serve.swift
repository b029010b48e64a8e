import ClusterAPI
import FeatureStore
import GeoFormats
import Glibc
import HTTPServer

/// `pincluster serve`: opens the store, listens, loads, serves, and stops on SIGTERM or SIGINT.
struct Serve {
  static let flags: [Options.Flag] = [
    .init("host", "HOST", "address to listen on (127.0.0.1)"),
    .init("port", "PORT", "port to listen on, 0 for any free one (8080)"),
    .init("data", "DIR", "data directory (./data)"),
    .init("threads", "N", "event loops (one for each available processor)"),
    .init("log-level", "LEVEL", "lowest level to log: debug, info or error (info)"),
    .init("max-header-bytes", "N", "largest request head, in bytes (65536)"),
    .init("max-body-bytes", "N", "largest request body, in bytes (67108864)"),
    .init("idle-timeout", "SECONDS", "time until a silent connection is closed (60)"),
    .init(
      "max-connections", "N", "most connections at one time, within the limit on open files (10000)"
    ),
    .init("max-input-bytes", "N", "bytes of requests kept until they are answered (268435456)"),
    .init("max-output-bytes", "N", "bytes of answers kept until they are taken (268435456)"),
    .init("request-timeout", "SECONDS", "time that the work for a read may take (10)"),
    .init("max-feature-bytes", "N", "largest feature, in bytes (1048576)"),
    .init("max-collections", "N", "collections beyond which none is created (1000)"),
    .init(
      "public-url", "URL", "where clients reach the service, for links (from each request)"),
    .init(
      switch: "trust-proxy",
      "believe X-Forwarded-… and Forwarded, which a proxy must set on every request"),
    .init(
      "cors-origin", "ORIGINS",
      "origins whose pages may read and write, with commas, or * (any may read, none write)"),
    .init("leaflet", "DIR", "folder of Leaflet, for the map page (\(LeafletFolder.usual))"),
    .init(
      "basemap-url", "TEMPLATE",
      "tiles below the map page, such as https://{s}.example/{z}/{x}/{y}.png (none)"),
    .init("basemap-attribution", "TEXT", "whose tiles they are, shown on the map page"),
    .init("drain-timeout", "SECONDS", "time for requests in flight when stopping (30)"),
  ]

  private let logger: Logger
  private let directory: String
  private var configuration: HTTPServer.Configuration
  private let requestTimeout: Int
  private let address: ServiceAddress
  private let origins: OriginPolicy
  private let map: MapSettings
  private var limits = WriteLimits()

  init(_ options: Options) throws(UsageError) {
    if let operand = options.operands.first {
      throw UsageError(
        message: "serve takes no operand, but \(operand) was given; see pincluster serve --help")
    }
    let levelName = options.values["log-level"] ?? Logger.Level.info.name
    guard let level = Logger.Level(name: levelName) else {
      throw UsageError(message: "--log-level is \(levelName), not debug, info or error")
    }
    logger = Logger(level: level)
    directory = options.values["data"] ?? "./data"
    requestTimeout =
      try options.integer("request-timeout", in: 1...3600) ?? API.defaultRequestTimeout
    let publicURL = options.values["public-url"]
    guard
      let address = ServiceAddress(
        publicURL: publicURL, trustsProxy: try options.isOn("trust-proxy"))
    else {
      throw UsageError(
        message: "--public-url is \(publicURL ?? ""), not of the form https://host[:port][/path]")
    }
    self.address = address
    let names = options.values["cors-origin"]
    let host = options.values["host"] ?? HTTPServer.Configuration().host
    guard let origins = OriginPolicy(origins: names, isLocal: Serve.isLoopback(host)) else {
      throw UsageError(
        message: "--cors-origin is \(names ?? ""), not * or origins such as https://maps.example")
    }
    self.origins = origins
    let template = options.values["basemap-url"]
    let leaflet = LeafletFolder.read(options.values["leaflet"] ?? LeafletFolder.usual)
    guard
      let map = MapSettings(
        basemapURL: template, attribution: options.values["basemap-attribution"] ?? "",
        leaflet: leaflet)
    else {
      throw UsageError(
        message: "--basemap-url is \(template ?? ""), not of the form https://host/{z}/{x}/{y}.png")
    }
    self.map = map
    configuration = HTTPServer.Configuration()
    configuration.host = options.values["host"] ?? configuration.host
    let numbers: [(String, ClosedRange<Int>, WritableKeyPath<HTTPServer.Configuration, Int>)] = [
      ("port", 0...65_535, \.port), ("threads", 1...256, \.threads),
      ("max-header-bytes", 1024...16_777_216, \.maximumHeaderBytes),
      ("max-body-bytes", 1024...2_147_483_647, \.maximumBodyBytes),
      ("idle-timeout", 1...86_400, \.idleTimeout),
      ("max-connections", 1...1_000_000, \.maximumConnections),
      ("max-input-bytes", 1_048_576...(1 << 40), \.maximumInputBytes),
      ("max-output-bytes", 1_048_576...(1 << 40), \.maximumOutputBytes),
      ("drain-timeout", 0...3600, \.drainTimeout),
    ]
    for (name, range, field) in numbers {
      if let value = try options.integer(name, in: range) { configuration[keyPath: field] = value }
    }
    limits.bodyBytes = configuration.maximumBodyBytes
    limits.featureBytes = try options.featureBytes() ?? limits.featureBytes
    limits.collections =
      try options.integer("max-collections", in: 1...1_000_000) ?? limits.collections
    try configuration.fit(descriptors: Descriptors.raiseLimit())
  }

  /// Whether only clients on this machine reach an address to listen on.
  private static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host == "::1" || host.hasPrefix("127.")
  }

  /// Runs until a signal; returns the exit code.
  func run() throws -> Int32 {
    // Blocked before any thread exists, so that every thread inherits the mask and only sigwait()
    // receives them.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    signal(SIGPIPE, SIG_IGN)
    logger.start()
    defer { logger.flush() }

    let catalog = Catalog()
    let writer = CollectionWriter(
      store: try FeatureStore(directory: directory), catalog: catalog, limits: limits)
    let metrics = Metrics()
    let api = API(
      catalog: catalog, writer: writer, metrics: metrics, requestTimeout: requestTimeout,
      address: address, origins: origins, map: map
    ) { [logger] message in
      logger.log(.error, "failed") { $0.member("message", message) }
    }
    let server = try makeServer(api, metrics)
    metrics.setConnections { [weak server] in server?.openConnections ?? 0 }
    try server.start()
    logger.log(.info, "listening") { json in
      json.member("host", configuration.host)
      json.member("port", server.port)
      json.member("threads", configuration.threads)
      json.member("maxConnections", configuration.maximumConnections)
      json.member("data", directory)
    }
    let start = ContinuousClock.now
    try writer.load(report: reportIndexFile)
    catalog.setReady(true)
    logger.log(.info, "ready") { json in
      json.member("collections", catalog.count)
      json.member("features", catalog.all.reduce(0) { $0 + $1.index.count })
      json.member("seconds", start.duration(to: .now) / .seconds(1))
    }

    var received: Int32 = 0
    sigwait(&signals, &received)
    logger.log(.info, "stopping") { $0.member("signal", Int(received)) }
    catalog.setStopping()
    server.shutdown()
    // Writes that still wait are past the drain deadline, and so are their clients.
    writer.close(refusing: true)
    api.close()
    logger.log(.info, "stopped")
    return 0
  }

  /// Logs the events of index files.
  private var reportIndexFile: IndexFileEvent.Report {
    let (logger, directory) = (self.logger, self.directory)
    return { event in
      switch event {
      case .read(let collection, let changes):
        logger.log(.info, "index read") { json in
          json.member("collection", collection)
          json.member("changes", changes)
        }
      case .written(let collection, let seconds):
        logger.log(.info, "index written") { json in
          json.member("collection", collection)
          json.member("seconds", seconds)
        }
      case .place(isLost: true):
        logger.log(.error, "data directory lost") { json in
          json.member(
            "message", "it has been removed or replaced; writes are refused until it is back")
          json.member("data", directory)
        }
      case .place(isLost: false):
        logger.log(.info, "data directory back") { $0.member("data", directory) }
      case .damaged(let reason): logger.log(.error, "damage") { $0.member("message", reason) }
      case .unusable(let collection, let reason), .failed(let collection, let reason):
        logger.log(.error, "index file") { json in
          json.member("collection", collection)
          json.member("message", reason)
        }
      }
    }
  }

  private func makeServer(_ api: API, _ metrics: Metrics) throws -> HTTPServer {
    let logger = self.logger
    var configuration = self.configuration
    configuration.protocolErrorResponse = API.protocolError
    configuration.onRefusal = { metrics.count($0) }
    configuration.onRequest = { log in
      metrics.count(log)
      guard logger.writes(.debug) else { return }
      logger.log(.debug, "request") { json in
        json.member("method", log.method.description)
        json.member("target", log.target)
        json.member("status", log.status)
        json.member("bytes", log.bytesSent)
        json.member("microseconds", log.microseconds)
      }
    }
    return try HTTPServer(configuration: configuration) { request, reply in
      api.handle(request, reply: reply)
    }
  }
}
