import ClusterAPI
import ClusterCore
import Collections
import Dispatch
import FeatureStore
import HTTPServer

/// The service without sockets, over a data directory.
final class InProcess: Sendable {
  /// A reply. `@unchecked Sendable`: it is written before `arrived` is signalled and read after that.
  private final class Reply: @unchecked Sendable {
    var response: HTTPResponse?
    let arrived = DispatchSemaphore(value: 0)
  }

  private let writer: CollectionWriter
  private let api: API

  init(directory: String) throws {
    let catalog = Catalog.keepingAnswers()
    writer = CollectionWriter(store: try SQLiteStore(directory: directory), catalog: catalog)
    try writer.load()
    catalog.setReady(true)
    // Under valgrind all is a hundred times as slow, so that no time says anything.
    api = API(
      catalog: catalog, writer: writer, metrics: Metrics(), requestTimeout: 600, mostOnLoop: 0
    ) { print($0) }
  }

  deinit { writer.close() }

  /// Sends a request and waits for its answer, which must be a 2xx or 304.
  @discardableResult
  func answer(_ request: HTTPRequest) throws(Failure) -> HTTPResponse {
    let reply = Reply()
    api.handle(request) {
      reply.response = $0
      reply.arrived.signal()
    }
    reply.arrived.wait()
    guard let response = reply.response, response.status / 100 == 2 || response.status == 304 else {
      throw Failure(
        "\(request.method) \(request.target) was answered "
          + String(decoding: reply.response?.body ?? [], as: UTF8.self))
    }
    return response
  }

  /// The coordinate of a feature of the collection `c`.
  func coordinate(of id: Int) throws -> Coordinate {
    let feature = try body("/collections/c/items/\(id)")
    let start = (feature.firstIndex(of: "\"coordinates\":[") ?? 0) + 15
    let numbers = feature[start...].prefix { $0 != UInt8(ascii: "]") }
    let parts = String(decoding: numbers, as: UTF8.self).split(separator: ",").map(String.init)
    guard parts.count > 1, let longitude = Double(parts[0]), let latitude = Double(parts[1]) else {
      throw Failure("feature \(id) has no coordinate")
    }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  /// The body of a GET.
  func body(_ target: String) throws(Failure) -> ArraySlice<UInt8> {
    try answer(HTTPRequest(target)).body[...]
  }
}

extension HTTPRequest {
  /// A request as a simple client sends it. One with a body is by default a POST of JSON.
  init(
    _ target: String, _ body: String? = nil, method: HTTPMethod? = nil,
    headers: [(name: String, value: String)] = []
  ) {
    let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
    let type = body == nil ? [] : [(name: "Content-Type", value: "application/json")]
    self.init(
      method: method ?? (body == nil ? .get : .post), path: parts[0],
      query: parts.count > 1 ? parts[1] : nil,
      headers: HTTPHeaders([(name: "Host", value: "127.0.0.1")] + headers + type),
      body: body.map { RequestBody(Array($0.utf8)) } ?? .empty)
  }
}
