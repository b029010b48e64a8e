import ClusterCore
import Collections
import GeoFormats
import Threading

/// Encodes annotations as a Mapbox Vector Tile.
struct TileWriter {
  private let answer: ClusterAnswer
  private let tile: Tile
  private let layer: VectorTileLayer
  private let collector: StatisticsCollector?

  /// The width and height of a tile in the units of its points.
  private static let extent = 4096

  /// - Parameter answer: to the request's viewport.
  init(_ request: TileRequest, _ answer: ClusterAnswer) throws(ImpossibleRequest) {
    let name = Array(answer.snapshot.info.id.utf8)
    guard let layer = VectorTileLayer(name: name, extent: TileWriter.extent) else {
      throw .outOfMemory
    }
    (self.answer, tile, self.layer) = (answer, request.tile, layer)
    collector = try answer.statistics.map { (wanted) throws(ImpossibleRequest) in
      try StatisticsCollector(wanted, of: answer.result)
    }
  }

  /// The tile of a request; empty if nothing is there.
  static func tile(_ request: TileRequest, of snapshot: CollectionSnapshot) throws -> [UInt8] {
    var tile: [UInt8] = []
    try ClusterAnswer.withAnswer(to: request.viewport, of: snapshot) {
      (answer) throws(ImpossibleRequest) in tile = try TileWriter(request, answer).encode()
    }
    return tile
  }

  /// The tile with all annotations; empty if there are none.
  func encode() throws(ImpossibleRequest) -> [UInt8] {
    guard answer.cells?.count ?? answer.result.annotations.count > 0 else { return [] }
    if let cells = answer.cells { add(cells) }
    for annotation in answer.result.annotations {
      if Cancellation.poll(500) || isTooLong { break }
      add(annotation)
    }
    try AnswerLimit.check(count: layer.count)
    guard let bytes = layer.encoded() else { throw .outOfMemory }
    return bytes
  }

  /// Whether there are more bytes than an answer may have.
  private var isTooLong: Bool { layer.count > AnswerLimit.whole }

  private func add(_ cells: PlainCells) {
    let (index, layers) = (answer.snapshot.index, LayerTexts(answer.result.layers))
    var id = JSONWriter(reserving: 256)
    layers.withTexts(ofLayer: 0) { texts in
      cells.forEachBatch { batch in
        guard !Cancellation.poll(300 &* batch.count), !isTooLong else { return }
        for column in 0..<batch.count {
          let cell = batch[column]
          id.removeAll()
          id.withRoom(layers.lengthWithFigures) {
            texts.writeID(cell.position, cell.location, into: &$0)
          }
          let coordinate = Coordinate(
            latitude: batch.figures[column], longitude: batch.figures[8 + column])
          id.withBytes { id in
            if cell.count > 1 {
              addCluster(id, of: cell.count, at: coordinate)
            } else {
              addPin(id, of: index.record(at: cell.first), at: coordinate)
            }
          }
        }
      }
    }
  }

  private func add(_ annotation: Annotation) {
    let index = answer.snapshot.index
    var text = answer.result.layer(of: annotation).id(of: annotation, in: index).text
    text.withUTF8 { utf8 in
      let id = UnsafeRawBufferPointer(utf8)
      guard annotation.isCluster else {
        return addPin(
          id, of: index.record(at: annotation.first), at: annotation.coordinate,
          isSpread: annotation.spread != nil)
      }
      addCluster(id, of: annotation.count, at: annotation.coordinate) {
        addExpansion(of: annotation)
        addGroup(of: annotation)
        addStatistics(of: annotation)
      }
    }
  }

  private func addExpansion(of annotation: Annotation) {
    guard answer.output.needsExpansion else { return }
    Cancellation.poll(3000)
    // Tiles are 512 points wide, hence of a zoom one less.
    let zoom = answer.result.expansion(of: annotation, in: answer.snapshot.index).zoom
    if let zoom { layer.tag("expansion_zoom", .integer(zoom - 1)) }
  }

  private func addGroup(of annotation: Annotation) {
    guard let key = answer.result.layer(of: annotation).group?.key else { return }
    key.withUnsafeBytes { layer.tag("group", .string($0)) }
  }

  private func addStatistics(of annotation: Annotation) {
    guard let wanted = answer.statistics, let collector else { return }
    let found = collector.statistics(of: annotation)
    if let weight = found.weight, weight.isFinite { layer.tag("weight", .init(weight)) }
    for (key, count) in found.counts {
      (Array("count:".utf8) + key).withUnsafeBytes { layer.tag($0, .integer(count)) }
    }
    for (aggregate, value) in zip(wanted.aggregates ?? [], found.aggregates) {
      guard let value, value.isFinite, !AnnotationMarks.contains(aggregate.name) else { continue }
      aggregate.name.withUnsafeBytes { layer.tag($0, .init(value)) }
    }
  }

  // MARK: Clusters and pins

  /// Adds a cluster. `tags` adds its other attributes.
  @inline(__always)
  private func addCluster(
    _ id: UnsafeRawBufferPointer, of count: Int, at coordinate: Coordinate, tags: () -> Void = {}
  ) {
    layer.tag("cluster", .bool(true))
    layer.tag("cluster_id", .ownString(id))
    layer.tag("point_count", .integer(count))
    switch count.abbreviated {
    case .number(let count): layer.tag("point_count_abbreviated", .integer(count))
    case .text(let text): layer.tag("point_count_abbreviated", text: text)
    }
    tags()
    let (x, y) = position(of: coordinate)
    layer.point(id: ClusterNumber.number(of: id), x: x, y: y)
  }

  /// Adds a pin.
  ///
  /// - Parameter isSpread: whether it is drawn beside its own place, which may be outside of the tile.
  private func addPin(
    _ id: UnsafeRawBufferPointer, of record: FeatureRecord, at coordinate: Coordinate,
    isSpread: Bool = false
  ) {
    // A feature may be long, and the next ones needn't be begun then.
    Cancellation.poll(record.properties.count)
    addProperties(of: record)
    layer.tag("annotation_id", .ownString(id))
    tag(featureID: record.rawID)
    let (x, y) = position(of: coordinate, isSpread: isSpread)
    layer.point(id: TileWriter.number(of: record.rawID), x: x, y: y)
  }

  /// Where a coordinate is in the tile.
  private func position(of coordinate: Coordinate, isSpread: Bool = false) -> (Int, Int) {
    let rect = tile.rect
    let point = WebMercator.project(coordinate)
    // The shorter way around the world.
    var east = point.x - rect.x - rect.width / 2
    if east > WebMercator.worldSize / 2 { east -= WebMercator.worldSize }
    if east < -WebMercator.worldSize / 2 { east += WebMercator.worldSize }
    east += rect.width / 2
    func units(_ distance: Double) -> Int {
      let units = Int((distance / rect.width * Double(TileWriter.extent)).rounded(.down))
      return isSpread ? units : min(max(units, 0), TileWriter.extent - 1)
    }
    return (units(east), units(point.y - rect.y))
  }

  // MARK: Ids

  /// The number of a feature whose id is one; nil for others.
  private static func number(of id: FeatureRecord.RawID) -> UInt64? {
    guard case .integer(let number, writtenAsText: false) = id, number >= 0 else { return nil }
    let bits = UInt64(number)
    return bits < ClusterNumber.first ? bits : nil
  }

  /// Adds a feature's id as it is.
  private func tag(featureID id: FeatureRecord.RawID) {
    switch id {
    case .integer(let number, writtenAsText: false):
      layer.tag("feature_id", .ownInteger(Int(number)))
    case .integer(let number, writtenAsText: true):
      layer.tag("feature_id", text: String(number))
    case .text(let text): layer.tag("feature_id", .ownString(text))
    }
  }

  // MARK: Properties

  /// Adds the properties of a pin, except those with the name of a mark.
  private func addProperties(of record: FeatureRecord) {
    switch answer.output.properties {
    case .none: return
    case .all:
      for (name, value) in PropertyReader.Members(of: record.properties) {
        add(member: name, value)
      }
    case .names(let names):
      PropertyReader.forEachSelected(names, in: record.properties) { add(member: $0, $1) }
    }
  }

  private func add(member name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    let key = JSONScanner.unescape(name)
    guard !AnnotationMarks.contains(key) else { return }
    key.withUnsafeBytes { add($0, value) }
  }

  /// Adds a property: scalars as such, arrays and objects as their text, and nothing for null.
  private func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    switch value.first {
    case UInt8(ascii: "\""):
      JSONScanner.unescape(value).withUnsafeBytes { layer.tag(name, .string($0)) }
    case UInt8(ascii: "t"): layer.tag(name, .bool(true))
    case UInt8(ascii: "f"): layer.tag(name, .bool(false))
    case nil, UInt8(ascii: "n"): return
    case UInt8(ascii: "["), UInt8(ascii: "{"): layer.tag(name, .string(value))
    default:
      guard let number = Double(String(decoding: value, as: UTF8.self)) else { return }
      layer.tag(name, .init(number))
    }
  }
}
