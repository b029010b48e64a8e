import ClusterCore
import Collections
import GeoFormats
import HTTPServer

/// Tile sets as OGC API Tiles, part 1, describes them: one for each collection, on the matrix set of web maps.
extension Resources {
  /// The name of the matrix set, in paths and for people.
  static let matrixSet = "WebMercatorQuad"

  private static let crs = "http://www.opengis.net/def/crs/EPSG/0/3857"
  private static let matrixSetURI =
    "http://www.opengis.net/def/tilematrixset/OGC/1.0/\(matrixSet)"

  /// The tile sets of a collection.
  func tileSets(_ id: String, _ request: HTTPRequest) throws -> HTTPResponse {
    try describe(id, request) { json, snapshot, path, base in
      json.links([Link("\(path)/tiles", "self", .json, "The tile sets")])
      json.array("tilesets") { json in
        json.object { Resources.write(snapshot, path, base, isWhole: false, into: &$0) }
      }
    }
  }

  /// The tile set of a collection.
  func tileSet(_ id: String, _ request: HTTPRequest) throws -> HTTPResponse {
    try describe(id, request) { json, snapshot, path, base in
      Resources.write(snapshot, path, base, isWhole: true, into: &json)
    }
  }

  private func describe(
    _ id: String, _ request: HTTPRequest,
    _ write: (inout JSONWriter, CollectionSnapshot, _ path: String, _ base: String) -> Void
  ) throws -> HTTPResponse {
    _ = try request.answerType([.json])
    let (snapshot, base) = (try snapshot(id), base(of: request))
    let etag = entityTag(snapshot.info, request, .json, links: base)
    return HTTPResponse(etag: etag) { write(&$0, snapshot, "\(base)/collections/\(id)", base) }
  }

  private static func write(
    _ snapshot: CollectionSnapshot, _ path: String, _ base: String, isWhole: Bool,
    into json: inout JSONWriter
  ) {
    json.member("title", snapshot.info.title ?? snapshot.info.id)
    json.member("dataType", "vector")
    json.member("crs", crs)
    json.member("tileMatrixSetURI", matrixSetURI)
    let set = "\(path)/tiles/\(matrixSet)"
    let description = Link(
      "\(path)/tiles.json", "describedby", .json, "The same as TileJSON")
    json.array("links") { json in
      json.link(Link(set, "self", .json, "This tile set"))
      json.link(
        Link("\(base)/tileMatrixSets/\(matrixSet)", Link.tilingScheme, .json, "The matrix set"))
      json.link(description)
      json.link(
        Link(
          "\(set)/{tileMatrix}/{tileRow}/{tileCol}", "item", .vectorTile, "A tile"),
        isTemplate: true)
    }
    guard isWhole else { return }
    json.array("layers") { json in
      json.object { json in
        json.member("id", snapshot.info.id)
        json.member("dataType", "vector")
        json.member("geometryDimension", 0)
      }
    }
  }

  // MARK: The matrix set

  /// The matrix sets.
  func tileMatrixSets(_ request: HTTPRequest) throws -> HTTPResponse {
    _ = try request.answerType([.json])
    let path = "\(base(of: request))/tileMatrixSets"
    return HTTPResponse { json in
      json.links([Link(path, "self", .json, "The matrix sets")])
      json.array("tileMatrixSets") { json in
        json.object { json in
          json.member("id", Resources.matrixSet)
          json.member("title", "Web maps")
          json.member("uri", Resources.matrixSetURI)
          json.links([Link("\(path)/\(Resources.matrixSet)", "self", .json, "This matrix set")])
        }
      }
    }
  }

  /// The matrix set of web maps (OGC 17-083r4, annex D.1), with the names of the version before (17-083r2) as
  /// well, which are all that GDAL knows up to 3.6.
  func tileMatrixSet(_ request: HTTPRequest) throws -> HTTPResponse {
    _ = try request.answerType([.json])
    return HTTPResponse(reserving: 8192) { json in
      json.member("id", Resources.matrixSet)
      json.member("identifier", Resources.matrixSet)
      json.member("title", "Web maps")
      json.member("uri", Resources.matrixSetURI)
      json.member("crs", Resources.crs)
      json.member("supportedCRS", Resources.crs)
      json.array("orderedAxes") { json in
        json.value("X")
        json.value("Y")
      }
      json.object("boundingBox") { json in
        json.member("crs", Resources.crs)
        for name in ["lowerLeft", "lowerCorner"] as [StaticString] {
          json.array(name) { Resources.writeCorner(x: -1, y: -1, into: &$0) }
        }
        for name in ["upperRight", "upperCorner"] as [StaticString] {
          json.array(name) { Resources.writeCorner(x: 1, y: 1, into: &$0) }
        }
      }
      json.member(
        "wellKnownScaleSet", "http://www.opengis.net/def/wkss/OGC/1.0/GoogleMapsCompatible")
      json.array("tileMatrices") { json in
        for zoom in Tile.zooms { json.object { Resources.writeMatrix(zoom, into: &$0) } }
      }
    }
  }

  /// The radius of the projection's sphere, in metres.
  private static let radius = 6_378_137.0

  /// Writes a corner of the square world, in metres.
  private static func writeCorner(x: Double, y: Double, into json: inout JSONWriter) {
    json.value(x * .pi * radius)
    json.value(y * .pi * radius)
  }

  private static func writeMatrix(_ zoom: Int, into json: inout JSONWriter) {
    let count = 1 << zoom
    let side = 256
    // Metres at the equator that a point of a tile covers.
    let cellSize = 2 * Double.pi * radius / Double(side * count)
    json.member("id", "\(zoom)")
    json.member("identifier", "\(zoom)")
    // A point of a standard screen is 0.28 mm wide.
    json.member("scaleDenominator", cellSize / 0.00028)
    json.member("cellSize", cellSize)
    json.member("cornerOfOrigin", "topLeft")
    for name in ["pointOfOrigin", "topLeftCorner"] as [StaticString] {
      json.array(name) { writeCorner(x: -1, y: 1, into: &$0) }
    }
    json.member("tileWidth", side)
    json.member("tileHeight", side)
    json.member("matrixWidth", count)
    json.member("matrixHeight", count)
  }
}

extension Link {
  fileprivate static let tilingScheme = "http://www.opengis.net/def/rel/ogc/1.0/tiling-scheme"
}
