import ClusterCore
import GeoFormats

/// The answer to a viewport request, before it is encoded.
struct ClusterAnswer {
  let snapshot: CollectionSnapshot
  var result: ClusterResult
  var zoomLevel = 0.0
  /// The grid; nil for methods without one.
  var grid: CellGrid?
  /// The rectangle that is clustered; nil for the children of an annotation.
  var gridRect: MapRect?
  var output = AnnotationOptions()
  /// The statistics of properties that annotations carry; nil for none.
  var statistics: Statistics?
  /// The ids of the annotations on screen, and the indices of those that are to be removed; nil if they
  /// weren't given.
  var changes: (previous: [String], removed: [Int])?
  /// The cells to list, and the number of features in them; nil if they aren't asked for.
  var debugCells: (cells: GridRange, counts: [(cell: CellPosition, count: Int)])?

  init(snapshot: CollectionSnapshot, result: ClusterResult) {
    self.snapshot = snapshot
    self.result = result
  }

  /// Sets the members of the head that describe the viewport.
  mutating func describe(_ area: ViewportRequest.Area) {
    switch area {
    case .grid(let viewport, _):
      (zoomLevel, grid) = (viewport.zoomLevel, viewport.cells.grid)
      gridRect = viewport.cells.mapRect
    case .tiles(let viewport):
      (zoomLevel, gridRect) = (viewport.zoomLevel, viewport.tiles.mapRect)
    }
  }

  /// The answer in the form of its options.
  func json() throws(ImpossibleRequest) -> JSONWriter {
    let isGeoJSON = output.form == .geoJSON
    var json = JSONWriter(reserving: 1024 + result.annotations.count * 256)
    json.beginObject()
    if isGeoJSON { json.member("type", "FeatureCollection") }
    writeHead(into: &json)
    json.key(isGeoJSON ? "features" : "annotations")
    json.beginArray()
    let writer = try AnnotationWriter(
      collection: snapshot.collection, result: result, options: output, statistics: statistics,
      previous: changes?.previous ?? [])
    for annotation in result.annotations { writer.write(annotation, into: &json) }
    json.endArray()
    if changes != nil { writeChanges(writer, into: &json) }
    writeGrid(into: &json)
    json.endObject()
    return json
  }

  /// Writes the members before the annotations.
  func writeHead(into json: inout JSONWriter) {
    json.withRoomForElement(256 + 10 * JSONRoom.numberLength) { room in
      room.text("\"zoomLevel\":")
      room.number(zoomLevel)
      room.text(",\"cellMapSize\":")
      if let grid { room.number(grid.cellMapSize) } else { room.text("null") }
      room.text(",\"cellsPerWorld\":")
      if let grid { room.integer(grid.cellsPerWorld) } else { room.text("null") }
      if let gridRect {
        room.text(",\"gridRect\":{\"x\":")
        room.number(gridRect.x)
        room.text(",\"y\":")
        room.number(gridRect.y)
        room.text(",\"width\":")
        let width = room.number(gridRect.width)
        room.text(",\"height\":")
        if gridRect.height == gridRect.width {
          room.again(width)
        } else {
          room.number(gridRect.height)
        }
        room.text("}")
      }
      room.text(",\"featureCount\":")
      room.integer(result.featureCount)
      if let hidden = result.hiddenCount {
        room.text(",\"hiddenCount\":")
        room.integer(hidden)
      }
      room.text(",\"version\":")
      room.integer(Int(snapshot.info.version))
    }
  }

  /// Writes what a client is to do with the annotations on screen.
  private func writeChanges(_ writer: AnnotationWriter, into json: inout JSONWriter) {
    let previous = changes?.previous ?? []
    json.key("changes")
    json.beginObject()
    json.key("removed")
    json.beginArray()
    for index in changes?.removed ?? [] { json.value(previous[index]) }
    json.endArray()
    json.key("kept")
    json.beginArray()
    for annotation in result.annotations {
      guard let index = annotation.reuses else { continue }
      json.beginArray()
      json.value(previous[index])
      writer.writeID(of: annotation, into: &json)
      json.endArray()
    }
    json.endArray()
    json.key("added")
    json.beginArray()
    for annotation in result.annotations where annotation.reuses == nil {
      writer.writeID(of: annotation, into: &json)
    }
    json.endArray()
    json.endObject()
  }

  /// Writes the cells as polygons in degrees, by row and column and with the empty ones, if they are asked
  /// for.
  func writeGrid(into json: inout JSONWriter) {
    guard let (cells, found) = debugCells else { return }
    let counts = Dictionary(
      found.map { ($0.cell, $0.count) }, uniquingKeysWith: { first, _ in first })
    json.key("grid")
    json.beginObject()
    json.member("type", "FeatureCollection")
    json.key("features")
    json.beginArray()
    for cell in cells.positions {
      json.beginObject()
      json.member("type", "Feature")
      json.key("geometry")
      writePolygon(cells.grid.bounds(of: cell), into: &json)
      json.key("properties")
      json.beginObject()
      json.member("column", cell.column)
      json.member("row", cell.row)
      json.member("count", counts[cell] ?? 0)
      json.endObject()
      json.endObject()
    }
    json.endArray()
    json.endObject()
  }

  private func writePolygon(_ bounds: GeoBounds, into json: inout JSONWriter) {
    let corners = [
      (bounds.west, bounds.south), (bounds.east, bounds.south), (bounds.east, bounds.north),
      (bounds.west, bounds.north), (bounds.west, bounds.south),
    ]
    json.beginObject()
    json.member("type", "Polygon")
    json.key("coordinates")
    json.beginArray()
    json.beginArray()
    for (longitude, latitude) in corners {
      json.beginArray()
      json.value(longitude)
      json.value(latitude)
      json.endArray()
    }
    json.endArray()
    json.endArray()
    json.endObject()
  }
}
