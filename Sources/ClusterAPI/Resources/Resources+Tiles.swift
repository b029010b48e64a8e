import ClusterCore
import Collections
import GeoFormats
import HTTPServer
import Texts

extension Resources {
  /// A tile: the annotations of its cells.
  func tile(_ id: String, _ path: TilePath, _ request: HTTPRequest) throws -> Outcome {
    // Map programs ask for tiles as for anything.
    let liked = path.type ?? (try? request.negotiate([.vectorTile, .geoJSON], format: nil))
    let type = liked ?? .vectorTile
    let given = try tileTemplates.request(for: path.tile, type, query: request.query)
    let snapshot = try snapshot(id)
    let asked = given.resolved(by: snapshot.info.temporal)
    let etag = entityTag(snapshot.info, request, type)
    let caching = asked.caching(at: snapshot)
    if request.matches(etag: etag) {
      return .now(HTTPResponse(status: 304, headers: [caching.field], etag: etag))
    }
    let collection = snapshot.collection
    let tile = type == .vectorTile ? RememberedTile(asked, snapshot) : nil
    // Whether there are such properties may take long to tell.
    if asked.properties.isEmpty, let known = tile?.known(),
      let notes = PropertyNotes(asked.viewport).known(in: collection)
    {
      return .now(HTTPResponse(known, etag: etag, caching).noting(notes))
    }
    return .response(to: request, kind: ReadKind(.tile, of: id, asked.viewport)) {
      try collection.check(properties: asked.properties)
      let notes = PropertyNotes(asked.viewport).sentences(in: collection)
      if let tile {
        return HTTPResponse(try tile.content(), etag: etag, caching).noting(notes)
      }
      var json = try ClusterAnswer.json(
        asked.viewport.withIDForm(of: snapshot.index), of: snapshot)
      return HTTPResponse(json.take(), type: type, etag: etag, caching).noting(notes)
    }
  }

  /// The URLs and content of the tiles, as TileJSON 3.0.0 has it.
  func tileJSON(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    _ = try request.negotiate([.json], format: nil)
    // The query is that of the tiles, all of which would refuse it if one does.
    let asked = try TileRequest(.world, query: request.query)
    guard asked.version == nil else {
      throw Problem(400, field: "v", inBody: false, "v is a part of the answer")
    }
    let snapshot = try snapshot(id)
    let base = base(of: request)
    let etag = entityTag(snapshot.info, request, .json, links: base)
    let query = (["v=\(snapshot.info.version)"] + [request.query].compactMap(\.self))
      .filter { !$0.isEmpty }.joined(separator: "&")
    let template =
      "\(base)/collections/\(id)/tiles/{z}/{x}/{y}?" + PercentCoding.asLink(query)
    return .response(to: request, etag: etag, kind: ReadKind(.tileJSON, of: id)) {
      try snapshot.collection.check(properties: asked.properties)
      let survey = snapshot.surveys.survey(of: snapshot.index)
      let fields = asked.attributes(survey).map { (name: $0, value: JSONLiteral.string($1)) }
      let document: JSONLiteral = [
        "tilejson": "3.0.0", "name": .string(snapshot.info.title ?? id),
        "description": snapshot.info.description.map { .string($0) },
        "tiles": [.string(template)], "minzoom": .integer(Tile.zooms.lowerBound),
        "maxzoom": .integer(Tile.zooms.upperBound),
        "bounds": snapshot.index.extent.map { .bounds($0.asTileBounds) },
        "vector_layers": [["id": .string(id), "fields": .object(fields)]],
      ]
      return HTTPResponse(document, etag: etag)
    }
  }
}

extension TileRequest {
  /// How long the answer may be kept: for good if the request names the version that it is of.
  fileprivate func caching(at snapshot: CollectionSnapshot) -> Caching {
    version.map(Int64.init) == snapshot.info.version ? .forGood : .checked
  }
}

extension GeoBounds {
  /// Bounds that TileJSON allows: they must not cross 180°, so those that do are of the whole circle.
  fileprivate var asTileBounds: GeoBounds {
    west <= east ? self : GeoBounds(west: -180, south: south, east: 180, north: north)
  }
}

extension HTTPResponse {
  /// A vector tile.
  fileprivate init(_ tile: CachedTile.Content, etag: String, _ caching: Caching) {
    guard let body = tile.body else {
      self.init(status: 204, headers: [caching.field], etag: etag)
      return
    }
    self.init(
      status: 200, headers: CrossOrigin.fields(of: .vectorTile, caching), body: body, etag: etag)
  }
}

extension TileRequest {
  /// The names of attributes that annotations may have, with their descriptions.
  fileprivate func attributes(_ survey: PropertySurvey) -> [(name: String, type: String)] {
    let options = viewport.values.cell
    var found = [
      ("cluster", "Boolean"), ("cluster_id", "String"), ("point_count", "Number"),
      ("point_count_abbreviated", "String"), ("annotation_id", "String"),
      ("feature_id", survey.ids == .integer ? "Number" : "String"),
    ]
    if viewport.needs.contains(.expansions) { found.append(("expansion_zoom", "Number")) }
    if options.properties.groupBy != nil { found.append(("group", "String")) }
    if options.properties.weightBy != nil { found.append(("weight", "Number")) }
    for aggregate in options.properties.aggregates ?? []
    where !AnnotationMarks.contains(aggregate.name) {
      found.append((String(decoding: aggregate.name, as: UTF8.self), "Number"))
    }
    let taken = Set(found.map { ExactText($0.0) })
    for property in survey.properties
    where !taken.contains(ExactText(property.name))
      && options.output.properties.contains(Array(property.name.utf8))
    {
      let numbers: PropertySurvey.Kinds = [.integer, .number]
      let kinds = property.kinds.subtracting(.null)
      let type = kinds.isSubset(of: numbers) ? "Number" : kinds == .boolean ? "Boolean" : "String"
      found.append((property.name, type))
    }
    return found
  }
}
