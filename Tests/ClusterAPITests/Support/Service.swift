import AccessControl
import ClusterAPI
import FeatureStore
import Glibc
import HTTPServer
import TestSupport
import Testing
import Threading

@testable import Collections

/// The whole service but for its sockets: an API over a store in a directory of its own.
final class Service: Sendable {
  let catalog: Catalog
  let writer: CollectionWriter
  let api: API
  /// What the log was told.
  let reports = Locked<[String]>([])
  /// What was told of the store.
  let events = Locked<[StoreEvent]>([])
  let directory: TemporaryDirectory
  let access: AccessControl

  /// A service of a new directory, or of one that another has left.
  ///
  /// - Parameters:
  ///   - other: a service whose store this one shares, if the tests use a database.
  ///   - relay: the way to the database; nil for the direct one.
  ///   - mostOnLoop: the processor time of an event loop for a read, in nanoseconds.
  ///   - comparisonInterval: how often collections are compared with a shared store, in seconds.
  ///   - clock: tells milliseconds since 1970, for features to expire.
  ///   - catalog: an empty one.
  ///   - limits: bounds of what may be written.
  ///   - origins: what browsers may ask for.
  ///   - keys: the text of a file of keys; nil if everybody may do everything.
  ///   - map: what the map page shows.
  ///   - maxWait: how long a read waits for a version, in seconds.
  ///   - requestTimeout: how long the work for a read may take, in seconds. The usual time is enough for a build without
  ///     optimization on a busy machine.
  init(
    of directory: TemporaryDirectory? = nil, sharing other: Service? = nil,
    through relay: PostgresRelay? = nil, catalog: Catalog = .keepingAnswers(),
    limits: WriteLimits = WriteLimits(), origins: OriginPolicy = .usual,
    keys: String? = nil, map: MapSettings = Service.map, maxWait: Double = 2,
    requestTimeout: Int = 600, mostOnLoop: UInt = API.defaultMostOnLoop,
    comparisonInterval: Double? = nil,
    clock: @escaping @Sendable () -> Int64 = WallClock.machineTime
  ) throws {
    let directory = try directory ?? TemporaryDirectory()
    self.directory = directory
    self.catalog = catalog
    writer = CollectionWriter(
      store: try Service.openStore(
        directory.path, schema: other?.directory.path, at: relay?.url ?? Service.postgres,
        comparisonInterval, clock: clock),
      catalog: catalog, limits: limits)
    let events = self.events
    try writer.load { event in events.withLock { $0.append(event) } }
    catalog.setReady(true)
    let reports = self.reports
    var files = AccessControl.Configuration()
    if let keys {
      files.keyFile = "\(directory.path)/keys"
      try Service.write(keys, to: "\(directory.path)/keys")
    }
    access = try AccessControl(files)
    api = API(
      catalog: catalog, writer: writer, metrics: Metrics(), requestTimeout: requestTimeout,
      maxWait: maxWait, mostOnLoop: mostOnLoop, origins: origins, access: access, map: map
    ) { text in reports.withLock { $0.append(text) } }
  }

  /// A service of a new directory, with features in the collection `c`.
  convenience init(_ features: [TwinFeature]) async throws {
    try self.init()
    await store(features)
  }

  deinit { writer.close() }

  /// The database that instances share, if tests are to use one instead of files: see `scripts/with-postgres`.
  static let postgres = getenv("PINCLUSTER_TEST_POSTGRES").map { String(cString: $0) }

  /// Opens the store of a directory: in it, or in a schema of the shared database that is named after it.
  private static func openStore(
    _ directory: String, schema: String?, at postgres: String?, _ comparisonInterval: Double?,
    clock: @escaping @Sendable () -> Int64
  ) throws -> sending any FeatureStore {
    guard let postgres else {
      return try SQLiteStore(directory: directory, clock: WallClock(source: clock))
    }
    var configuration = PostgresStore.Configuration(
      address: try PostgresAddress(postgres), schema: Service.schema(of: schema ?? directory),
      directory: directory)
    configuration.comparisonInterval = comparisonInterval
    return try PostgresStore(configuration)
  }

  /// The schema that is named after a directory.
  static func schema(of directory: String) -> String {
    let name = directory.split(separator: "/").last ?? ""
    return "t" + name.utf8.map { String($0, radix: 16) }.joined().suffix(40)
  }

  /// Writes a file.
  static func write(_ text: String, to path: String) throws {
    let file = try #require(fopen(path, "w"))
    defer { fclose(file) }
    #expect(fputs(text, file) >= 0)
  }

  /// Files that stand for those of Leaflet.
  static let leaflet = [
    "leaflet.js": Array("L = {}".utf8), "leaflet.css": Array("a {}".utf8),
    "marker-icon.png": [0x89, 0x50, 0x4e, 0x47, 0, 0xff],
  ]
  /// A map page with Leaflet.
  static let map =
    MapSettings(basemapURL: nil, attribution: "", leaflet: leaflet) ?? MapSettings()

  /// Sends a request; an answer that never comes or comes twice fails the test.
  func send(
    _ method: HTTPMethod, _ target: String, _ body: String? = nil, type: String? = nil,
    headers: [(name: String, value: String)] = [], client: UInt64 = 0
  ) async -> Answer {
    // Most requests are answered at once, and a test that sends many would keep a thread from all others.
    await Task.yield()
    return await withCheckedContinuation { continuation in
      begin(method, target, body, type: type, headers: headers, client: client) {
        continuation.resume(returning: $0)
      }
    }
  }

  /// Sends a request and goes on; `reply` is called with the answer.
  func begin(
    _ method: HTTPMethod, _ target: String, _ body: String? = nil, type: String? = nil,
    headers: [(name: String, value: String)] = [], client: UInt64 = 0,
    reply: @escaping @Sendable (Answer) -> Void
  ) {
    let mark = target.firstIndex(of: "?")
    let usual = method == .patch ? "application/merge-patch+json" : "application/json"
    let contentType = body == nil ? [] : [(name: "Content-Type", value: type ?? usual)]
    var request = HTTPRequest(
      method: method, path: String(target[..<(mark ?? target.endIndex)]),
      query: mark.map { String(target[target.index(after: $0)...]) },
      headers: HTTPHeaders(headers + contentType),
      body: body.map { RequestBody(Array($0.utf8)) } ?? .empty)
    request.client = client
    api.handle(request) { reply(Answer(response: $0)) }
  }

  func get(_ target: String, headers: [(name: String, value: String)] = []) async -> Answer {
    await send(.get, target, headers: headers)
  }

  func post(_ target: String, _ body: String, type: String = "application/json") async -> Answer {
    await send(.post, target, body, type: type)
  }

  /// Stores features and checks that they were.
  @discardableResult
  func store(
    _ features: [TwinFeature], in collection: String = "c"
  ) async -> Answer {
    await store(geoJSON: features.map(\.geoJSON), in: collection)
  }

  /// Stores features by their GeoJSON and checks that they were.
  @discardableResult
  func store(geoJSON texts: [String], in collection: String = "c") async -> Answer {
    let body = #"{"type":"FeatureCollection","features":[\#(texts.joined(separator: ","))]}"#
    let answer = await post("/collections/\(collection)/items", body)
    #expect(answer.status == 200, "\(answer.text)")
    return answer
  }
}

/// An answer, read as tests like to.
struct Answer: Sendable {
  let response: HTTPResponse

  var status: Int { response.status }
  var text: String { String(decoding: response.body, as: UTF8.self) }
  var json: TestJSON { (try? TestJSON(parsing: response.body)) ?? .null }
  subscript(key: String) -> TestJSON? { json[key] }

  /// The media type without parameters.
  var type: String? {
    response.header("Content-Type")?.split(separator: ";").first.map(String.init)
  }

  /// The pointers of a problem's errors.
  var pointers: [String] {
    (json["errors"]?.array ?? []).compactMap { $0["pointer"]?.string }
  }

  /// Checks that this is a problem of RFC 9457 with some status.
  func expectProblem(
    _ status: Int, at pointer: String? = nil, _ comment: String? = nil,
    location: SourceLocation = #_sourceLocation
  ) {
    let isProblem =
      self.status == status && type == "application/problem+json"
      && json["status"]?.int == status && json["title"]?.string?.isEmpty == false
      && json["detail"]?.string?.isEmpty == false && json["type"]?.string != nil
    #expect(isProblem, "\(self.status), not \(status): \(text)", sourceLocation: location)
    if let pointer {
      let isNamed = pointers.contains { $0 == pointer || $0.hasPrefix(pointer + "/") }
      #expect(isNamed, "\(pointers) do not name \(pointer)", sourceLocation: location)
    }
    if let comment, !isProblem { Issue.record("\(comment)", sourceLocation: location) }
  }

  /// The target of the link `next`, if there is one.
  var next: String? {
    json["links"]?.array?.first { $0["rel"]?.string == "next" }?["href"]?.string
  }

  /// The ids of a FeatureCollection's features, as JSON text.
  var ids: [String] { (json["features"]?.array ?? []).map { $0["id"]?.text ?? "none" } }
}
