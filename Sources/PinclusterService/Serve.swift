import AccessControl
import ClusterAPI
import Collections
import FeatureStore
import GeoFormats
import Glibc
import HTTPServer
import Texts
import Threading

/// `pincluster serve`: opens the store, listens, loads, serves, and stops on SIGTERM or SIGINT.
struct Serve: RunnableCommand {
  private static let usual = HTTPServer.Configuration()

  static let flags: [Options.Flag] =
    [
      .init("host", "HOST", "address to listen on", standard: usual.host),
      .init(
        "port", "PORT", "port to listen on, 0 for any free one", 0...65_535, standard: usual.port),
      .init("data", "DIR", "data directory", standard: "./data"),
      .store(unset: "SQLite, in --data"), .storeSchema, .storeCheckInterval,
      .init("tls-cert", "FILE", "certificate, and those up to its authority, to serve HTTPS"),
      .init("tls-key", "FILE", "key of --tls-cert"),
      .init("tls-client-ca", "FILE", "authorities of clients, which must then have a certificate"),
      .init(
        "tls-tickets", "FILE", "80 random bytes, by which instances resume each other's sessions"),
      .init(
        "threads", "N", "event loops", 1...256, standard: min(usual.threads, 256),
        unset: "one for each available processor"),
      .init(
        "log-level", "LEVEL", "lowest level to log: debug, info or error",
        .choice(Logger.Level.allCases.map(\.name)), standard: Logger.Level.info.name),
      .init(
        "slow-request", "MILLISECONDS", "time from which on a request is logged, 0 for never",
        0...3_600_000, standard: 1000),
      .init(
        "max-header-bytes", "N", "largest request head, in bytes", 1024...16_777_216,
        standard: usual.maximumHeaderBytes),
      .init(
        "max-body-bytes", "N", "largest request body, in bytes", 1024...2_147_483_647,
        standard: usual.maximumBodyBytes),
      .init(
        "idle-timeout", "SECONDS", "time until a silent connection is closed", 1...86_400,
        standard: usual.idleTimeout),
      .init(
        "max-connections", "N", "most connections at one time, within the limit on open files",
        1...1_000_000, standard: usual.maximumConnections),
      .init(
        "max-input-bytes", "N", "bytes of requests kept until they are answered",
        1_048_576...(1 << 40), standard: usual.maximumInputBytes),
      .init(
        "max-output-bytes", "N", "bytes of answers kept until they are taken",
        1_048_576...(1 << 40), standard: usual.maximumOutputBytes),
      .init(
        "request-timeout", "SECONDS", "time that the work for a read may take", 1...3600,
        standard: API.defaultRequestTimeout),
      .init(
        "max-wait", "SECONDS", "time that a read waits for the version it asks for", 0...3600,
        standard: API.defaultMaxWait),
      .maximumFeatureBytes,
      .init(
        "max-collections", "N", "collections beyond which none is created", 1...1_000_000,
        standard: WriteLimits().collections),
      .init(
        "public-url", "URL", "where clients reach the service, for links",
        unset: "from each request"),
      .init(
        switch: "trust-proxy",
        "believe X-Forwarded-… and Forwarded, which a proxy must set on every request"),
      .init(
        "cors-origin", "ORIGINS", "origins whose pages may read and write, with commas, or *",
        .list,
        unset: "any may read, none write"),
      .init("leaflet", "DIR", "folder of Leaflet, for the map page", standard: LeafletFolder.usual),
      .init(
        "basemap-url", "TEMPLATE",
        "tiles below the map page, such as https://{s}.example/{z}/{x}/{y}.png", unset: "none"),
      .init("basemap-attribution", "TEXT", "whose tiles they are, shown on the map page"),
      .init(
        "drain-timeout", "SECONDS", "time for requests in flight when stopping", 0...3600,
        standard: usual.drainTimeout),
    ] + accessFlags

  let logger: Logger
  private let warnings: [String]
  private let directory: String
  private let shared: PostgresStore.Configuration?
  private var configuration: HTTPServer.Configuration
  private let tls: TLSFiles?
  private let requestTimeout: Int
  private let maxWait: Int
  /// In microseconds.
  private let slowRequest: Int
  private let address: ServiceAddress
  private let origins: OriginPolicy
  private let map: MapSettings
  private let access: AccessControl.Configuration
  private var limits = WriteLimits()

  init(_ options: Options) throws(UsageError) {
    logger = Logger(level: options.values["log-level"].flatMap(Logger.Level.init(name:)) ?? .info)
    warnings = options.warnings
    directory = options.values["data"] ?? ""
    let data = directory
    shared = try options.values["store"].map { url throws(UsageError) in
      try Serve.sharedStore(options, at: url, directory: data)
    }
    requestTimeout = options.integer("request-timeout")
    maxWait = options.integer("max-wait")
    let slow = options.integer("slow-request")
    slowRequest = slow == 0 ? .max : slow * 1000
    tls = try TLSFiles(options)
    guard
      let address = ServiceAddress(
        publicURL: options.values["public-url"], trustsProxy: options.isOn("trust-proxy"),
        isSecure: tls != nil)
    else { throw options.invalid("public-url", "not of the form https://host[:port][/path]") }
    self.address = address
    configuration = HTTPServer.Configuration()
    configuration.host = options.values["host"] ?? configuration.host
    guard
      let origins = OriginPolicy(
        origins: options.values["cors-origin"], isLocal: Serve.isLoopback(configuration.host))
    else { throw options.invalid("cors-origin", "not * or origins such as https://maps.example") }
    self.origins = origins
    guard
      let map = MapSettings(
        basemapURL: options.values["basemap-url"],
        attribution: options.values["basemap-attribution"] ?? "",
        leaflet: LeafletFolder.read(options.values["leaflet"] ?? LeafletFolder.usual))
    else { throw options.invalid("basemap-url", "not of the form https://host/{z}/{x}/{y}.png") }
    self.map = map
    access = try Serve.access(options, host: configuration.host)
    let numbers: [(String, WritableKeyPath<HTTPServer.Configuration, Int>)] = [
      ("port", \.port), ("threads", \.threads), ("max-header-bytes", \.maximumHeaderBytes),
      ("max-body-bytes", \.maximumBodyBytes), ("idle-timeout", \.idleTimeout),
      ("max-connections", \.maximumConnections), ("max-input-bytes", \.maximumInputBytes),
      ("max-output-bytes", \.maximumOutputBytes), ("drain-timeout", \.drainTimeout),
    ]
    for (name, field) in numbers { configuration[keyPath: field] = options.integer(name) }
    limits.bodyBytes = configuration.maximumBodyBytes
    limits.featureBytes = options.integer("max-feature-bytes")
    limits.collections = options.integer("max-collections")
    try configuration.fit(descriptors: Descriptors.raiseLimit())
  }

  /// Whether only clients on this machine reach an address to listen on.
  static func isLoopback(_ host: String) -> Bool {
    var address = in_addr()
    // Another name may begin like an address.
    return host == "localhost" || host == "::1"
      || host.begins(with: "127.") && inet_pton(AF_INET, host, &address) == 1
  }

  /// The memory of an empty service beside its threads, in bytes, half of it for the database.
  private static let leastMemory = 64 << 20

  /// Runs until a signal; returns the exit code.
  func run() throws -> Int32 {
    // Blocked before any thread exists, so that every thread inherits the mask and only sigwait()
    // receives them.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    for signal in [SIGHUP, SIGUSR1, SIGUSR2] { sigaddset(&signals, signal) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    signal(SIGPIPE, SIG_IGN)
    // Event loops, those for long work and for reading writes, those of the log, watchers and queues, and some more.
    try Preflight.check(
      threads: configuration.threads + 3 * Processors.count + 24, bytes: Serve.leastMemory)
    logger.start()
    defer { logger.flush() }
    for warning in warnings {
      logger.log(.error, "configuration") { $0.member("message", warning) }
    }
    let context = try tls?.read()
    if let tls, let context { logCertificate(context, of: tls) }

    let manager = ServiceManager()
    let starting = EarlyStop { [logger] received in
      logger.log(.info, "stopping") { $0.member("signal", Int(received)) }
      manager.isStopping()
      logger.log(.info, "stopped")
      logger.flush()
    }
    defer { starting.isOver() }
    let place = shared?.address.name ?? directory
    manager.isDoing("Opening \(place)")
    let catalog = Catalog.keepingAnswers()
    let writer = CollectionWriter(
      store: try Serve.openStore(shared, directory: directory), catalog: catalog, limits: limits)
    let metrics = Metrics()
    let access = try AccessControl(access)
    log(access)
    let api = API(
      catalog: catalog, writer: writer, metrics: metrics, requestTimeout: requestTimeout,
      maxWait: Double(maxWait), slowRequest: slowRequest, address: address, origins: origins,
      access: access, map: map
    ) { [logger] message in
      logger.log(.error, "failed") { $0.member("message", message) }
    }
    let server = try makeServer(api, metrics, context)
    metrics.setServer(
      version: Command.version, openConnections: { [weak server] in server?.openConnections ?? 0 },
      handshakes: { [weak server] in server?.finishedHandshakes ?? 0 })
    try server.start()
    let watchdog = Watchdog(manager, server)
    defer { watchdog.stop() }
    manager.isDoing("Loading \(place)")
    logger.log(.info, "listening") { json in
      json.member("host", configuration.host)
      json.member("port", server.port)
      json.member("threads", configuration.threads)
      json.member("maxConnections", configuration.maximumConnections)
      json.member("data", directory)
      if let shared { json.member("store", shared.address.name) }
    }
    let start = ContinuousClock.now
    try writer.load(report: reportIndexFile)
    starting.isOver()
    catalog.setReady(true)
    logger.log(.info, "ready") { json in
      json.member("collections", catalog.count)
      json.member("features", catalog.all.reduce(0) { $0 + $1.index.count })
      json.member("seconds", start.duration(to: .now) / .seconds(1))
    }
    manager.isReady("Serving on \(configuration.host) port \(server.port)")

    let received = obeySignals(signals) {
      manager.isReloading()
      reload(access)
      reload(server)
      manager.isReady("Serving on \(configuration.host) port \(server.port)")
    }
    logger.log(.info, "stopping") { $0.member("signal", Int(received)) }
    manager.isStopping()
    catalog.setStopping()
    server.shutdown()
    // Writes that still wait are past the drain deadline, and so are their clients.
    writer.close(refusing: true)
    api.close()
    logger.log(.info, "stopped")
    return 0
  }

  /// Obeys signals until one that ends the service, which is returned.
  private func obeySignals(_ signals: sigset_t, reload: () -> Void) -> Int32 {
    var (signals, received) = (signals, Int32(0))
    while sigwait(&signals, &received) == 0 {
      switch received {
      case SIGHUP: reload()
      case SIGUSR1: logger.talkMore()
      case SIGUSR2: logger.talkAsUsual()
      default: return received
      }
    }
    return received
  }

  /// Reads files anew that the service has read at its start. A bad one leaves the old files in force.
  private func reload(_ server: HTTPServer) {
    logger.log(.info, "reloading")
    guard let tls else { return }
    do {
      let context = try tls.read()
      server.use(context)
      // After that, so that a reader who waits for this line meets the new one.
      logCertificate(context, of: tls)
    } catch {
      logger.log(.error, "not reloaded") { $0.member("message", "\(error)") }
    }
  }

  /// Logs until when a certificate is good.
  private func logCertificate(_ context: TLSContext, of files: TLSFiles) {
    logger.log(.info, "certificate") { json in
      json.member("file", files.certificate)
      json.member("expires", DateTime.text(Int64(context.expiry) * 1000))
    }
  }

  /// Logs the events of index files.
  private var reportIndexFile: StoreEvent.Report {
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
      case .log(let fault?):
        logger.log(.error, "log grows") { json in
          json.member("message", "it can't be copied into the database: \(fault)")
        }
      case .log(nil): logger.log(.info, "log copied")
      case .place(isLost: false):
        logger.log(.info, "data directory back") { $0.member("data", directory) }
      case .storeLost(let reason):
        logger.log(.error, "store lost") { $0.member("message", reason) }
      case .storeBack: logger.log(.info, "store back")
      case .behind(let collection):
        logger.log(.error, "behind") { json in
          json.member("message", "there is no memory for what other instances have written")
          json.member("collection", collection)
        }
      case .loadedAnew(let collection):
        logger.log(.info, "loaded anew") { $0.member("collection", collection) }
      case .drift(let collection, let version, let features, let shown, let stored):
        logger.log(.error, "drift") { json in
          json.member(
            "message",
            "what is shown isn't what the store holds; it is read again, unless an error follows")
          json.member("collection", collection)
          json.member("version", version)
          json.member("features", features.count)
          json.member("ids", features.prefix(10).map(\.description).joined(separator: ", "))
          json.member("shown", shown)
          json.member("stored", stored)
        }
      case .damaged(let reason): logger.log(.error, "damage") { $0.member("message", reason) }
      case .unusable(let collection, let reason), .failed(let collection, let reason):
        logger.log(.error, "index file") { json in
          json.member("collection", collection)
          json.member("message", reason)
        }
      }
    }
  }

  private func makeServer(
    _ api: API, _ metrics: Metrics, _ tls: TLSContext?
  ) throws -> HTTPServer {
    let log = RequestLogger(logger, slow: slowRequest)
    var configuration = self.configuration
    configuration.protocolErrorResponse = API.protocolError
    configuration.tls = tls
    configuration.onRefusal = { refusal, reason in
      metrics.count(refusal)
      log.write(refusal, reason)
    }
    configuration.onRequest = { entry in
      metrics.count(entry)
      log.write(entry)
    }
    return try HTTPServer(configuration: configuration) { request, reply in
      api.handle(request, reply: reply)
    }
  }
}
