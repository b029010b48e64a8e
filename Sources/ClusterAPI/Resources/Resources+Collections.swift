import ClusterCore
import Collections
import FeatureStore
import GeoFormats
import HTTPServer
import Threading

extension Resources {
  /// Refuses to write to an id that no collection can have.
  func checkCollectionID(_ id: String) throws(Problem) {
    guard Catalog.isCollectionID(id) else {
      throw Problem(
        400,
        "the id of a collection is 1 to 64 of the characters A-Z, a-z, 0-9, _ and -",
        items: [.init(pointer: "collectionId", detail: "not a possible id of a collection")])
    }
  }

  // MARK: GET

  /// The most collections of a page, and their number by default.
  static let (longestPage, usualPage) = (1000, 100)

  func listCollections(_ request: HTTPRequest) throws -> Outcome {
    let fields = try Fields(query: request.query, allowed: ["f"] + Paging.names)
    let type = try request.negotiate([.json, .html], format: try fields.string("f"))
    let paging = try Paging(
      fields, defaultLimit: Resources.usualPage, maximumLimit: Resources.longestPage)
    let base = base(of: request)
    var kind = ReadKind(.collections)
    kind.add(size: Double(paging.limit))
    return .response(to: request, kind: kind) { [catalog] in
      let page = try catalog.page(offset: paging.offset, limit: paging.limit)
      let isFirst = paging.offset == 0 && paging.limit == Resources.usualPage
      let own = isFirst ? "/collections" : Resources.target(request)
      var links = [
        Link(base + own, "self", type, "The collections"),
        Resources.alternate(request, base, of: type, .json),
      ]
      let next = paging.offset + page.count
      if !page.isEmpty, next < catalog.count {
        links.append(
          Link(base + Resources.nextPage(request, offset: next), "next", type, "The next page"))
      }
      if type == .html {
        return Resources.page(page, of: catalog.count, paging, links: links, base, request)
      }
      let extents = try page.map { try $0.times?.extent() }
      var response = HTTPResponse(reserving: 256 + page.count * 1024) { json in
        json.links(links)
        json.array("collections") { json in
          for (snapshot, times) in zip(page, extents) {
            if Cancellation.poll(10_000) { return }
            json.write(.collection(snapshot, base, times))
          }
        }
      }
      response.add(links)
      return response
    }
  }

  /// The types of a collection.
  private static let collectionTypes: [MediaType] = [.json, .html]

  func getCollection(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    let type = try request.answerType(Resources.collectionTypes)
    let snapshot = try snapshot(id)
    let base = base(of: request)
    let etag = entityTag(snapshot.info, Resources.plain(request, id), type, links: base)
    return .response(to: request, etag: etag, kind: ReadKind(.collection, of: id)) {
      if type == .html {
        return try Resources.page(
          snapshot, links: Resources.links(of: id, base), base, etag: etag, request)
      }
      return try Resources.response(snapshot, base, etag: etag)
    }
  }

  /// A request for a collection, by its usual path and without a query: that is what the tags of its state are of, so
  /// that one read as `…/c/`, with `f` or with `minVersion` is a condition for a write, too.
  private static func plain(_ request: HTTPRequest, _ id: String) -> HTTPRequest {
    var plain = request
    (plain.path, plain.query) = ("/collections/\(id)", nil)
    return plain
  }

  /// The links of a collection.
  static func links(of id: String, _ base: String) -> [Link] {
    let path = "\(base)/collections/\(id)"
    return [
      Link(path, "self", .json, "This collection"),
      Link("\(path)?f=html", "alternate", .html, "The same for people"),
      Link("\(path)/items", "items", .geoJSON, "Its features"),
      Link("\(path)/items?f=html", "items", .html, "Its features, for people"),
      queryables(of: id, base),
      Link("\(path)/schema", Link.schema, .schema, "What a feature has"),
      // GDAL takes the types of columns from it, and knows the relation in these letters only.
      Link(
        "\(path)/schema?type=feature", "describedBy", .schema, "What a feature is in GeoJSON"),
      Link("\(path)/clusters", "related", .json, "What to draw in a viewport"),
      Link("\(path)/pins", "related", .json, "Every feature as a pin"),
      Link("\(path)/tiles", Link.vectorTiles, .json, "Vector tiles"),
      Link("\(path)/tiles.json", "related", .json, "Vector tiles, as TileJSON"),
    ]
  }

  /// The link to what filters may name.
  static func queryables(of id: String, _ base: String) -> Link {
    Link("\(base)/collections/\(id)/queryables", Link.queryables, .schema, "Properties to ask for")
  }

  private static func response(
    _ snapshot: CollectionSnapshot, _ base: String, status: Int = 200, etag: String? = nil
  ) throws -> HTTPResponse {
    var response = HTTPResponse(
      .collection(snapshot, base, try snapshot.times?.extent()), status: status, etag: etag)
    // Some programs look for these in the header. All of them are in the body.
    response.add(links(of: snapshot.info.id, base).filter { headed.contains($0.relation) })
    return response
  }

  /// The relations of the links of a collection that are in the header, too.
  private static let headed = ["self", "alternate", "items", Link.queryables]

  // MARK: PUT and DELETE

  func putCollection(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    try checkCollectionID(id)
    try catalog.checkSeesAll()
    _ = try request.typeOfWrite([.json])
    // A body of nothing but white space is the same as none.
    let isBlank = request.body.withUnsafeBytes { body in
      body.allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) }
    }
    let updates = isBlank ? Write.CollectionUpdates() : try updates(request)
    let base = base(of: request)
    var described = Write(by: catalog, in: id, .describe(updates))
    described.conditions = conditions(Resources.plain(request, id), Resources.collectionTypes)
    let write = WriteRequest(write: described) { result in
      guard case .described(let snapshot, let isNew) = result else {
        return HTTPResponse(status: 204)
      }
      var response = try Resources.response(snapshot, base, status: isNew ? 201 : 200)
      if isNew { response.headers.append(("Location", "\(base)/collections/\(id)")) }
      return response
    }
    let before = try catalog[id]
    let times = before.flatMap {
      CollectionTimes(updates.temporal.applied(to: $0.info.temporal), of: $0.collection)
    }
    guard let times, !times.areKnown else { return .write(write) }
    return .longWrite { _ in
      // This reads the times now, so that the writer needn't.
      _ = try times.extent()
      return write
    }
  }

  /// The longest title and description, in bytes. A list of collections holds a thousand of each.
  private static let (longestTitle, longestDescription) = (1000, 4096)
  /// The longest time to live, in seconds: ten years.
  private static let maximumTTL = 315_576_000.0

  private func updates(_ request: HTTPRequest) throws -> Write.CollectionUpdates {
    try request.checkBodyType([.json])
    let names = ["title", "description", "ttl", "temporal"]
    return try parsers.withObject(ofBody: request.body, allowed: names) { fields, object in
      func update<V>(_ name: StaticString, _ read: (String) throws -> V?) throws -> ValueUpdate<V> {
        object[name] == nil ? .keep : try read("\(name)").map { .set($0) } ?? .clear
      }
      var updates = Write.CollectionUpdates()
      func text(_ name: String, atMost most: Int) throws(Problem) -> String? {
        let text = try fields.string(name)
        guard (text?.utf8.count ?? 0) <= most else {
          throw fields.problem(name, status: 422, "\(name) is longer than \(most) bytes")
        }
        return text
      }
      updates.title = try update("title") { try text($0, atMost: Resources.longestTitle) }
      updates.description = try update("description") {
        try text($0, atMost: Resources.longestDescription)
      }
      updates.ttl = try update("ttl") { name -> Int64? in
        guard let seconds = try fields.number(name) else { return nil }
        guard seconds >= 0.001, seconds <= Resources.maximumTTL else {
          throw fields.problem("ttl", status: 422, "ttl is not within 0.001 to 315576000 seconds")
        }
        return Int64((seconds * 1000).rounded())
      }
      updates.temporal = try update("temporal", fields.temporalProperties)
      return updates
    }
  }

  func deleteCollection(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    try checkCollectionID(id)
    try catalog.checkSeesAll()
    _ = try Fields(query: request.query, allowed: [])
    var write = Write(by: catalog, in: id, .drop)
    write.conditions = conditions(Resources.plain(request, id), Resources.collectionTypes)
    return .write(WriteRequest(write: write) { _ in HTTPResponse(status: 204) })
  }
}

extension JSONLiteral {
  /// A collection as OGC API Features describes it, with its count and version.
  fileprivate static func collection(
    _ snapshot: CollectionSnapshot, _ base: String, _ times: ClosedRange<Double>?
  ) -> JSONLiteral {
    let info = snapshot.info
    return [
      "id": .string(info.id), "title": .text(info.title), "description": .text(info.description),
      "itemType": "feature",
      // A PUT to the address of a feature that isn't there creates it.
      "supportsNonAutogeneratedResourceIds": true,
      "extent": [
        "spatial": [
          "bbox": snapshot.index.extent.map { [.bounds($0)] } ?? .null,
          "crs": .string(ReferenceSystem.crs84),
        ],
        "temporal": info.temporal.map { _ in .temporal(times) },
      ],
      "crs": [.string(ReferenceSystem.crs84)],
      "ttl": info.ttl.map { .number(Double($0) / 1000) },
      "temporal": info.temporal.map { .temporal($0) },
      "featureCount": .integer(snapshot.index.count), "version": .integer(Int(info.version)),
      "links": .links(Resources.links(of: info.id, base)),
    ]
  }
}

extension CollectionSnapshot {
  /// When its features were or are; nil if it has no temporal properties.
  var times: CollectionTimes? { CollectionTimes(info.temporal, of: collection) }
}
