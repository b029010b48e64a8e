import ClusterCore
import Collections
import GeoFormats
import Threading

/// Encodes a plain view as a Mapbox Vector Tile straight from its cells, as ``TileWriter`` does with annotations
/// in between.
struct PlainTileWriter {
  private let index: FeatureIndex
  private let layer: TileLayer
  private let texts: LayerTexts

  private init(
    _ request: TileRequest, _ plain: ClusterRequest, of snapshot: CollectionSnapshot
  ) throws {
    index = snapshot.index
    layer = try TileLayer(request, of: snapshot)
    texts = LayerTexts([(grid: plain.cells.grid, cellSize: plain.cellSize, group: nil)])
  }

  /// The tile of a request, empty if nothing is there; nil if it needs annotations.
  static func tile(_ request: TileRequest, of snapshot: CollectionSnapshot) throws -> [UInt8]? {
    guard !request.hasExpansion, let plain = request.viewport.plain else { return nil }
    let collection = snapshot.collection
    let properties = try BoundProperties(
      request.viewport.values.cell.neededProperties, in: collection)
    let scope = FeatureScope(
      collection, passing: properties.filter, near: plain, isSummedUp: true)
    let writer = try PlainTileWriter(request, plain, of: snapshot)
    var tile: [UInt8] = []
    try scope.withPlainCells(plain) { (cells) throws(ImpossibleRequest) in
      guard cells.count > 0 else { return }
      writer.write(cells)
      tile = try writer.layer.encoded()
    }
    return tile
  }

  private func write(_ cells: PlainCells) {
    var id = JSONWriter(reserving: 256)
    texts.withTexts(ofLayer: 0) { names in
      cells.forEachBatch { batch in
        guard !Interruption.poll(300 &* batch.count), !layer.isTooLong else { return }
        for column in 0..<batch.count {
          let (cell, isPin) = (batch[column], batch[column].count == 1)
          id.removeAll()
          id.withRoom(texts.lengthWithFigures) {
            names.writeID(cell.position, isPin ? cell.location : nil, into: &$0)
          }
          let coordinate = Coordinate(
            latitude: batch.figures[column], longitude: batch.figures[8 + column])
          id.withBytes { id in
            if isPin {
              layer.pin(id, of: index.record(at: cell.first), at: coordinate)
            } else {
              layer.cluster(id, of: cell.count, at: coordinate)
            }
          }
        }
      }
    }
  }
}
