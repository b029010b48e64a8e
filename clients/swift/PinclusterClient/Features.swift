import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The features of a collection. Calls throw as ``Pincluster`` says.
public struct Features: Sendable {
  /// The id of the collection.
  public let id: String
  let transport: Transport
  /// The version that reads ask for, or a later one.
  private var minimum: Int?

  init(id: String, transport: Transport) { (self.id, self.transport) = (id, transport) }

  private var path: [String] { ["collections", id] }

  /// The path of a feature below that of the collection.
  ///
  /// - Throws: `URLError.badURL` for an id that would be a step in a path: an empty one, `.` and `..`.
  private func item(_ id: FeatureID) throws -> [String] {
    if ["", ".", ".."].contains(id.text) { throw URLError(.badURL) }
    return ["items", id.text]
  }

  /// The same collection, whose reads wait until it has come to a version, such as that of a write: on whichever
  /// instance of the service, they see it. Where it doesn't come in time they throw a ``Problem`` with the status 503.
  public func from(version: Int?) -> Features {
    var features = self
    features.minimum = version
    return features
  }

  /// The header fields of a read.
  private func fields(accept: String) -> [(name: String, value: String)] {
    [("Accept", accept)] + (minimum.map { [(Transport.version, String($0))] } ?? [])
  }

  private func get<Value: Decodable>(
    _ parts: [String], _ query: Query = Query(), accept: String = "application/json"
  ) async throws -> Value {
    let request = try transport.request(
      "GET", path + parts, query, headers: fields(accept: accept))
    return try JSONDecoder().decode(Value.self, from: try await transport.send(request).data)
  }

  private func post<Value: Decodable>(
    _ parts: [String], _ query: Query = Query(), _ body: some Encodable
  ) async throws -> Value {
    let request = try transport.request(
      "POST", path + parts, query, body: try JSONEncoder().encode(body),
      headers: fields(accept: "application/json"))
    return try JSONDecoder().decode(Value.self, from: try await transport.send(request).data)
  }

  // MARK: The collection

  /// The description of the collection.
  ///
  /// - Throws: ``Problem`` with the status 404 if there is no such collection.
  public func info() async throws -> CollectionInfo { try await get([]) }

  /// Creates the collection, or changes its title and description; nil leaves them. Returns the version after it.
  ///
  /// - Throws: ``Problem`` with the status 403 if the key may not write, or 422 if there are too many collections.
  @discardableResult
  public func create(title: String? = nil, description: String? = nil) async throws -> Int? {
    var members: [String: JSONValue] = [:]
    members["title"] = title.map { .string($0) }
    members["description"] = description.map { .string($0) }
    let body = try JSONEncoder().encode(members)
    return try await transport.send(try transport.request("PUT", path, body: body)).version
  }

  /// Removes the collection with all its features. Returns the version at which it was dropped.
  ///
  /// - Throws: ``Problem`` with the status 404 if there is no such collection, or 403 if the key may not drop it.
  @discardableResult
  public func drop() async throws -> Int? {
    try await transport.send(try transport.request("DELETE", path)).version
  }

  // MARK: Viewports

  /// The annotations of a viewport.
  ///
  /// - Throws: ``Problem`` with the status 404 if there is no such collection, or 422 if the request is impossible,
  ///   such as one for too many annotations.
  public func view(_ request: ViewRequest) async throws -> View {
    try await post(["clusters"], Query(), request)
  }

  /// The features of a viewport, each a pin of its own.
  ///
  /// - Throws: ``Problem`` with the status 404 if there is no such collection, or 422 if there are too many pins.
  public func pins(_ request: ViewRequest) async throws -> Pins {
    try await post(["pins"], Query(), request)
  }

  /// The changes of a viewport, beginning with its whole content. The sequence goes on when the connection
  /// breaks, and ends when the task is cancelled or the collection is dropped.
  ///
  /// - Parameter since: the version that is shown already.
  public func changes(_ request: ViewRequest, since: Int? = nil) -> ViewChanges {
    var request = request
    // No event tells them.
    (request.debug, request.histogram) = (nil, nil)
    return ViewChanges(
      path: path + ["changes"], request: request, since: since,
      headers: fields(accept: "text/event-stream"), transport: transport)
  }

  /// The viewport that shows a feature, and the annotation that stands for it there.
  ///
  /// - Parameter options: the fields of a viewport request; its rect and scale have no effect.
  /// - Throws: ``Problem`` with the status 404 if there is no such feature.
  public func locate(
    _ feature: FeatureID, latitudinalMeters: Double, longitudinalMeters: Double,
    viewportWidth: Double, viewportHeight: Double, options: ViewRequest? = nil
  ) async throws -> Located {
    try await post(
      item(feature) + ["locate"], Query(),
      LocateRequest(
        latitudinalMeters: latitudinalMeters, longitudinalMeters: longitudinalMeters,
        viewportWidth: viewportWidth, viewportHeight: viewportHeight, options: options))
  }

  // MARK: Annotations

  /// An annotation as it is today, with its `expansionZoom` and `visibleMapRect`.
  ///
  /// - Parameter request: the request that it came from, where that has more than defaults.
  /// - Throws: ``Problem`` with the status 404 if the annotation holds no features any more.
  public func annotation(_ id: String, of request: ViewRequest? = nil) async throws -> Annotation {
    try await get(["clusters", id], try Query(annotationOf: request))
  }

  /// The annotations that an annotation splits into, at a zoom or at its `expansionZoom`.
  ///
  /// - Throws: ``Problem`` with the status 404 if the annotation holds no features any more, or 422 if it has too
  ///   many children.
  public func children(
    of id: String, zoom: Double? = nil, of request: ViewRequest? = nil
  ) async throws -> View {
    var query = try Query(annotationOf: request)
    if let zoom { query.items.append(("childZoom", String(zoom))) }
    return try await get(["clusters", id, "children"], query)
  }

  /// The outline of an annotation's features.
  ///
  /// - Throws: ``Problem`` with the status 404 if the annotation holds no features any more.
  public func hull(of id: String, of request: ViewRequest? = nil) async throws -> Hull {
    try await get(
      ["clusters", id, "hull"], try Query(annotationOf: request), accept: "application/geo+json")
  }

  /// A page of an annotation's features; without a limit 1000.
  ///
  /// - Throws: ``Problem`` with the status 404 if the annotation holds no features any more.
  public func items(
    of id: String, limit: Int? = nil, offset: Int = 0, of request: ViewRequest? = nil
  ) async throws -> FeaturePage {
    var query = try Query(annotationOf: request)
    if let limit { query.items.append(("limit", String(limit))) }
    query.items.append(("offset", String(offset)))
    return try await get(["clusters", id, "items"], query, accept: "application/geo+json")
  }

  // MARK: Features

  /// A page of features; without a limit 1000.
  ///
  /// - Parameter properties: the names of the only properties that are wanted; nil for all.
  /// - Throws: ``Problem`` with the status 400 if the filter isn't CQL2, or 404 if there is no such collection;
  ///   `EncodingError` if an id or a name has a comma.
  public func items(
    in box: BoundingBox? = nil, filter: String? = nil, ids: [FeatureID]? = nil,
    datetime: String? = nil, sortBy: String? = nil, properties: [String]? = nil,
    limit: Int? = nil, offset: Int = 0
  ) async throws -> FeaturePage {
    let edges = box.map { "\($0.west),\($0.south),\($0.east),\($0.north)" }
    let query = Query([
      "bbox": edges, "filter": filter, "ids": try ids.map { try Query.list("ids", $0.map(\.text)) },
      "datetime": datetime, "sortby": sortBy,
      "properties": try properties.map { try Query.list("properties", $0) },
      "limit": limit.map { String($0) }, "offset": String(offset),
    ])
    return try await get(["items"], query, accept: "application/geo+json")
  }

  /// A feature with its tag.
  ///
  /// - Throws: ``Problem`` with the status 404 if there is no such feature.
  public func feature(_ id: FeatureID) async throws -> TaggedFeature {
    try await tagged(
      transport.request(
        "GET", path + item(id), headers: fields(accept: "application/geo+json")))
  }

  /// Stores features, all or none, or with `skippingBad` all that are good. The collection is created if need be.
  ///
  /// - Throws: ``Problem`` with the status 422 if a feature is bad, unless `skippingBad`; its ``Problem/errors`` name
  ///   them.
  public func store(_ features: [Feature], skippingBad: Bool = false) async throws -> WriteSummary {
    struct Collection: Encodable {
      var type = "FeatureCollection"
      var features: [Feature]
    }
    let query = Query(["onError": skippingBad ? "skip" : nil])
    let body = try JSONEncoder().encode(Collection(features: features))
    let answer = try await transport.send(
      try transport.request(
        "POST", path + ["items"], query, body: body, headers: Transport.json))
    var summary = try JSONDecoder().decode(WriteSummary.self, from: answer.data)
    summary.version = answer.version
    return summary
  }

  /// Stores a feature by its id.
  ///
  /// - Throws: `URLError.badURL` for a feature without an id.
  public func put(_ feature: Feature, if condition: Condition? = nil) async throws -> TaggedFeature
  {
    guard let id = feature.id else { throw URLError(.badURL) }
    return try await write("PUT", id, try JSONEncoder().encode(feature), condition)
  }

  /// Changes properties of a feature, or removes those that are null.
  ///
  /// - Throws: ``Problem`` with the status 404 if there is no such feature, or 412 if the condition doesn't hold.
  public func patch(
    _ id: FeatureID, properties: [String: JSONValue], if condition: Condition? = nil
  ) async throws -> TaggedFeature {
    let body = try JSONEncoder().encode(["properties": properties])
    return try await write("PATCH", id, body, condition, type: "application/merge-patch+json")
  }

  /// Removes a feature. Returns the version of the collection after it.
  ///
  /// - Throws: ``Problem`` with the status 404 if there is no such feature, or 412 if the condition doesn't hold.
  @discardableResult
  public func delete(_ id: FeatureID, if condition: Condition? = nil) async throws -> Int? {
    let headers = [condition?.header].compactMap { $0 }
    return try await transport.send(
      try transport.request("DELETE", path + item(id), headers: headers)
    ).version
  }

  private func write(
    _ method: String, _ id: FeatureID, _ body: Data, _ condition: Condition?,
    type: String = "application/geo+json"
  ) async throws -> TaggedFeature {
    try await tagged(
      transport.request(
        method, path + item(id), body: body, type: type,
        headers: [condition?.header].compactMap { $0 }))
  }

  private func tagged(_ request: URLRequest) async throws -> TaggedFeature {
    let answer = try await transport.send(request)
    return TaggedFeature(
      feature: try JSONDecoder().decode(Feature.self, from: answer.data), tag: answer.tag ?? "",
      version: answer.version)
  }
}

/// The body of a request to locate a feature.
private struct LocateRequest: Encodable {
  var latitudinalMeters, longitudinalMeters, viewportWidth, viewportHeight: Double
  var options: ViewRequest?

  private enum Key: String, CodingKey {
    case latitudinalMeters, longitudinalMeters, viewportWidth, viewportHeight
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(latitudinalMeters, forKey: .latitudinalMeters)
    try container.encode(longitudinalMeters, forKey: .longitudinalMeters)
    try container.encode(viewportWidth, forKey: .viewportWidth)
    try container.encode(viewportHeight, forKey: .viewportHeight)
    guard var options else { return }
    (options.limit, options.debug, options.histogram) = (nil, nil, nil)
    var fields = encoder.container(keyedBy: ViewRequest.CodingKeys.self)
    try options.encodeOptions(into: &fields)
  }
}

extension Query {
  /// The fields of a request that the address of its annotation repeats: without a grid all of them,
  /// otherwise those that the id doesn't name.
  init(annotationOf request: ViewRequest?) throws {
    self.init()
    guard var request else { return }
    (request.previous, request.limit, request.debug, request.histogram) = (nil, nil, nil, nil)
    self = try Query(request)
    guard request.method == nil || request.method == .grid else { return }
    let named: Set = [
      "bbox", "visibleMapRect", "region", "viewportWidth", "zoom", "marginFactor", "wrap",
      "cellSize", "groupBy", "groups", "method", "epsilon", "markerSize", "priorityBy", "clusterBy",
    ]
    items.removeAll { named.contains($0.name) }
  }
}
