import ClusterCore
import GeoFormats

/// The answer to a viewport request, before it is printed.
struct ClusterAnswer {
  let snapshot: CollectionSnapshot
  let zoomLevel: Double
  let grid: CellGrid
  let cellSize: Double
  /// Absent for the children of an annotation.
  let gridRect: MapRect?
  let result: ClusterResult
  let output: OutputOptions
  /// The cells to list for debugging.
  let debugCells: GridRange?

  /// The answer in one of the two forms.
  func json(_ type: MediaType) -> JSONWriter {
    let isGeoJSON = type == .geoJSON
    var json = JSONWriter(reserving: 1024 + result.annotations.count * 256)
    json.beginObject()
    if isGeoJSON { json.member("type", "FeatureCollection") }
    writeHead(into: &json)
    json.key(isGeoJSON ? "features" : "annotations")
    json.beginArray()
    let writer = AnnotationWriter(
      index: snapshot.index, grid: grid, cellSize: cellSize, options: output,
      forEachFeature: result.forEachFeature)
    for annotation in result.annotations {
      if isGeoJSON {
        writer.writeGeoJSON(annotation, into: &json)
      } else {
        writer.write(annotation, into: &json)
      }
    }
    json.endArray()
    if let debugCells { writeGrid(debugCells, into: &json) }
    json.endObject()
    return json
  }

  private func writeHead(into json: inout JSONWriter) {
    json.member("zoomLevel", zoomLevel)
    json.member("cellMapSize", grid.cellMapSize)
    json.member("cellsPerWorld", grid.cellsPerWorld)
    if let gridRect {
      json.key("gridRect")
      json.mapRect(gridRect)
    }
    json.member("featureCount", result.featureCount)
    json.member("version", snapshot.info.version)
  }

  /// The cells as polygons in degrees, empty ones included, by row and column.
  private func writeGrid(_ cells: GridRange, into json: inout JSONWriter) {
    let counts = Dictionary(
      result.cellCounts.map { ($0.cell, $0.count) }, uniquingKeysWith: { first, _ in first })
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
