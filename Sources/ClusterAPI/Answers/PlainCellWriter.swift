import ClusterCore
import GeoFormats

/// Encodes the annotations of a plain view straight from its cells, as ``AnnotationWriter`` does with annotations
/// in between.
struct PlainCellWriter {
  private let index: FeatureIndex
  private let fields: AnnotationFields
  private let properties: AnnotationOptions.PropertySelection
  private let layers: LayerTexts
  private let texts = NumberTexts(rows: AnnotationFigures.numbers)

  /// - Parameter request: a plain view.
  init(_ request: ClusterRequest, of index: FeatureIndex, _ output: AnnotationOptions) {
    self.index = index
    (fields, properties) = (output.fields, output.properties)
    layers = LayerTexts([(grid: request.cells.grid, cellSize: request.cellSize, group: nil)])
  }

  /// Whether annotations of such a form are written.
  static func writes(_ output: AnnotationOptions) -> Bool {
    !output.isGeoJSON && output.members == 0 && output.neededTitleProperty == nil
      && !output.needsHull && !output.needsExpansion
  }

  /// Writes the annotations as elements of an array, until there are more bytes than an answer may have.
  func write(_ cells: PlainCells, into json: inout JSONWriter) {
    let numbers = texts.pointers
    let wantedRows = fields.contains(.bbox) ? AnnotationFigures.numbers : 2
    var comma = false
    layers.withTexts(ofLayer: 0) { names in
      cells.forEachBatch { batch in
        guard json.count <= AnswerLimit.whole else { return }
        let haveTexts = numbers.encode(batch.figures, rows: wantedRows)
        for column in 0..<batch.count {
          let cell = batch[column]
          let isPin = cell.count == 1
          let figures = AnnotationFigures(
            count: cell.count, isUniqueLocation: cell.isUniqueLocation,
            texts: numbers.column(column, of: batch.figures),
            haveTexts: haveTexts &>> column & 1 != 0)
          json.withRoom(layers.lengthWithFigures) { room in
            room.text(comma ? ",{\"id\":\"" : "{\"id\":\"")
            names.writeID(cell.position, isPin ? cell.location : nil, into: &room)
            room.text("\"")
            figures.writeMembers(fields, hasTitles: false, comma: true, into: &room)
            if !isPin { room.text("}") }
          }
          if isPin {
            if fields.contains(.feature) {
              json.pinFeature(index.record(at: cell.first), properties)
            }
            json.endObject()
          }
          comma = true
        }
      }
    }
  }
}
