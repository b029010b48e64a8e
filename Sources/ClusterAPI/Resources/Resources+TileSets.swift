import ClusterCore
import Collections
import GeoFormats
import HTTPServer

/// Tile sets as OGC API Tiles, part 1, describes them: one for each collection, on the matrix set of web maps.
extension Resources {
  /// The name of the matrix set, in paths and for people.
  static let matrixSet = "WebMercatorQuad"

  private static let crs: JSONLiteral = "http://www.opengis.net/def/crs/EPSG/0/3857"
  private static let matrixSetURI: JSONLiteral =
    "http://www.opengis.net/def/tilematrixset/OGC/1.0/WebMercatorQuad"

  /// The tile sets of a collection.
  func tileSets(_ id: String, _ request: HTTPRequest) throws -> HTTPResponse {
    try describe(id, request) { snapshot, path, base in
      [
        "links": .links([Link("\(path)/tiles", "self", .json, "The tile sets")]),
        "tilesets": [.object(Resources.members(of: snapshot, path, base))],
      ]
    }
  }

  /// The tile set of a collection.
  func tileSet(_ id: String, _ request: HTTPRequest) throws -> HTTPResponse {
    try describe(id, request) { snapshot, path, base in
      let layer: JSONLiteral = [
        "id": .string(snapshot.info.id), "dataType": "vector", "geometryDimension": 0,
      ]
      return .object(Resources.members(of: snapshot, path, base) + [("layers", [layer])])
    }
  }

  private func describe(
    _ id: String, _ request: HTTPRequest,
    _ document: (CollectionSnapshot, _ path: String, _ base: String) -> JSONLiteral
  ) throws -> HTTPResponse {
    _ = try request.answerType([.json])
    let (snapshot, base) = (try snapshot(id), base(of: request))
    let etag = entityTag(snapshot.info, request, .json, links: base)
    return HTTPResponse(document(snapshot, "\(base)/collections/\(id)", base), etag: etag)
  }

  /// The members of a tile set but its layers.
  private static func members(
    of snapshot: CollectionSnapshot, _ path: String, _ base: String
  ) -> [JSONLiteral.Member] {
    let set = "\(path)/tiles/\(matrixSet)"
    let scheme = "http://www.opengis.net/def/rel/ogc/1.0/tiling-scheme"
    let links = [
      Link(set, "self", .json, "This tile set"),
      Link("\(base)/tileMatrixSets/\(matrixSet)", scheme, .json, "The matrix set"),
      Link("\(path)/tiles.json", "describedby", .json, "The same as TileJSON"),
      Link(
        "\(set)/{tileMatrix}/{tileRow}/{tileCol}", "item", .vectorTile, "A tile", isTemplate: true),
    ]
    return [
      ("title", .string(snapshot.info.title ?? snapshot.info.id)), ("dataType", "vector"),
      ("crs", crs), ("tileMatrixSetURI", matrixSetURI), ("links", .links(links)),
    ]
  }

  // MARK: The matrix set

  /// The matrix sets.
  func tileMatrixSets(_ request: HTTPRequest) throws -> HTTPResponse {
    _ = try request.answerType([.json])
    let path = "\(base(of: request))/tileMatrixSets"
    let own = Link("\(path)/\(Resources.matrixSet)", "self", .json, "This matrix set")
    return HTTPResponse([
      "links": .links([Link(path, "self", .json, "The matrix sets")]),
      "tileMatrixSets": [
        [
          "id": .string(Resources.matrixSet), "title": "Web maps", "uri": Resources.matrixSetURI,
          "links": .links([own]),
        ]
      ],
    ])
  }

  /// The matrix set of web maps (OGC 17-083r4, annex D.1), with the names of the version before (17-083r2) as
  /// well, which are all that GDAL knows up to 3.6.
  func tileMatrixSet(_ request: HTTPRequest) throws -> HTTPResponse {
    _ = try request.answerType([.json])
    let (lower, upper) = (Resources.corner(x: -1, y: -1), Resources.corner(x: 1, y: 1))
    return HTTPResponse([
      "id": .string(Resources.matrixSet), "identifier": .string(Resources.matrixSet),
      "title": "Web maps", "uri": Resources.matrixSetURI,
      "crs": Resources.crs, "supportedCRS": Resources.crs, "orderedAxes": ["X", "Y"],
      "boundingBox": [
        "crs": Resources.crs, "lowerLeft": lower, "lowerCorner": lower, "upperRight": upper,
        "upperCorner": upper,
      ],
      "wellKnownScaleSet": "http://www.opengis.net/def/wkss/OGC/1.0/GoogleMapsCompatible",
      "tileMatrices": .array(Tile.zooms.map(Resources.matrix)),
    ])
  }

  /// The radius of the projection's sphere, in metres.
  private static let radius = 6_378_137.0

  /// A corner of the square world, in metres.
  private static func corner(x: Double, y: Double) -> JSONLiteral {
    [.number(x * .pi * radius), .number(y * .pi * radius)]
  }

  private static func matrix(_ zoom: Int) -> JSONLiteral {
    let count = 1 << zoom
    let side = 256
    // Metres at the equator that a point of a tile covers.
    let cellSize = 2 * Double.pi * radius / Double(side * count)
    let origin = corner(x: -1, y: 1)
    return [
      "id": .string("\(zoom)"), "identifier": .string("\(zoom)"),
      // A point of a standard screen is 0.28 mm wide.
      "scaleDenominator": .number(cellSize / 0.00028), "cellSize": .number(cellSize),
      "cornerOfOrigin": "topLeft", "pointOfOrigin": origin, "topLeftCorner": origin,
      "tileWidth": .integer(side), "tileHeight": .integer(side),
      "matrixWidth": .integer(count), "matrixHeight": .integer(count),
    ]
  }
}
