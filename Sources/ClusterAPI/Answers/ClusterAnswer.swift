import ClusterCore
import Collections
import GeoFormats
import Threading

/// The answer to a viewport request, before it is encoded.
struct ClusterAnswer {
  let snapshot: CollectionSnapshot
  var result: ClusterResult
  /// The cells that stand for annotations, lent by ``withAnswer(to:of:_:)``; nil if there are annotations.
  var cells: PlainCells?
  var zoomLevel = 0.0
  /// The grid; nil for methods without one.
  var grid: CellGrid?
  /// The rectangle that is clustered; nil for the children of an annotation.
  var gridRect: MapRect?
  var output = AnnotationOptions()
  /// On which side longitudes are; nil where they stay as they are.
  var side: LongitudeSide?
  /// The statistics of properties that annotations carry; nil for none.
  var statistics: Statistics?
  /// The ids of the annotations on screen and the indices of those to remove; nil if none were given.
  var changes: (previous: [String], removed: [Int])?
  /// The cells to list, and the number of features in them; nil if they aren't asked for.
  var debugCells: (cells: GridRange, counts: [(cell: CellPosition, count: Int)])?

  /// The notes on the request's properties.
  var notes: [String] = []
  /// The histogram of the features, if it is asked for.
  var histogram: HistogramAnswer?

  /// Sets the members of the head that describe the viewport.
  mutating func describe(_ area: ViewportRequest.Area) {
    (zoomLevel, gridRect) = (area.zoomLevel, area.cells.mapRect)
    if case .grid = area { grid = area.cells.grid }
  }

  /// The answer in the form of its options.
  func json() throws(ImpossibleRequest) -> JSONWriter {
    let bytes = cells.map { $0.count * 320 } ?? result.annotations.count * 512
    var json = JSONWriter(reserving: 1024 + bytes)
    openAnnotations(into: &json)
    let writer = try AnnotationWriter(self)
    if let cells { writer.write(cells, into: &json) }
    for annotation in result.annotations { writer.write(annotation, into: &json) }
    try AnswerLimit.check(json)
    json.endArray()
    if changes != nil { writeChanges(writer, into: &json) }
    writeGrid(into: &json)
    json.endObject()
    return json
  }

  /// Writes everything before the first annotation.
  func openAnnotations(into json: inout JSONWriter) {
    json.beginObject()
    if output.isGeoJSON { json.member("type", "FeatureCollection") }
    writeHead(into: &json)
    json.key(output.isGeoJSON ? "features" : "annotations")
    json.beginArray()
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
    json.notes(notes)
    histogram?.write(into: &json)
  }

  /// Writes the changes of the annotations on screen.
  private func writeChanges(_ writer: AnnotationWriter, into json: inout JSONWriter) {
    let previous = changes?.previous ?? []
    json.object("changes") { json in
      json.array("removed") { json in
        for index in changes?.removed ?? [] { json.value(previous[index]) }
      }
      json.array("kept") { json in
        for annotation in result.annotations {
          guard let index = annotation.reuses else { continue }
          json.array { json in
            json.value(previous[index])
            writer.writeID(of: annotation, into: &json)
          }
        }
      }
      json.array("added") { json in
        for annotation in result.annotations where annotation.reuses == nil {
          writer.writeID(of: annotation, into: &json)
        }
      }
    }
  }

  /// Writes all cells, also empty ones, as polygons by row and column, if they are asked for.
  func writeGrid(into json: inout JSONWriter) {
    guard let (cells, found) = debugCells, !Cancellation.poll(found.count &* 60) else { return }
    let counts = Dictionary(
      found.map { ($0.cell, $0.count) }, uniquingKeysWith: { first, _ in first })
    json.object("grid") { json in
      json.member("type", "FeatureCollection")
      json.array("features") { json in
        for cell in cells.positions where !Cancellation.poll(1000) {
          json.object { json in
            json.member("type", "Feature")
            let bounds = cells.grid.bounds(of: cell)
            let middle = (bounds.west + bounds.east) / 2
            writePolygon(
              side.map { bounds.turned(near: $0.turned(middle)) } ?? bounds, into: &json)
            json.object("properties") { json in
              json.member("column", cell.column)
              json.member("row", cell.row)
              json.member("count", counts[cell] ?? 0)
            }
          }
        }
      }
    }
  }

  private func writePolygon(_ bounds: GeoBounds, into json: inout JSONWriter) {
    json.object("geometry") { json in
      json.member("type", "Polygon")
      json.array("coordinates") { json in
        json.array { json in
          json.position(bounds.west, bounds.south)
          json.position(bounds.east, bounds.south)
          json.position(bounds.east, bounds.north)
          json.position(bounds.west, bounds.north)
          json.position(bounds.west, bounds.south)
        }
      }
    }
  }
}
