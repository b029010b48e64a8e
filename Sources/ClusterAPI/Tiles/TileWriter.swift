import ClusterCore
import GeoFormats
import Threading

/// Encodes annotations as a Mapbox Vector Tile.
struct TileWriter {
  private let tile: Tile
  private let answer: ClusterAnswer
  private let layer: VectorTileLayer
  private let collector: StatisticsCollector?
  private let hasExpansion: Bool

  /// The width and height of a tile in the units of its points.
  static let extent = 4096

  /// - Parameter answer: to the request's viewport.
  init(_ request: TileRequest, _ answer: ClusterAnswer) throws {
    let name = Array(answer.snapshot.info.id.utf8)
    guard let layer = VectorTileLayer(name: name, extent: TileWriter.extent) else {
      throw ImpossibleRequest.outOfMemory
    }
    (tile, self.answer, self.layer) = (request.tile, answer, layer)
    collector = try answer.statistics.map(StatisticsCollector.init)
    hasExpansion = request.hasExpansion
  }

  /// The tile with all annotations; empty if there are none.
  func encode() throws(ImpossibleRequest) -> [UInt8] {
    guard !answer.result.annotations.isEmpty else { return [] }
    for annotation in answer.result.annotations {
      if Interruption.poll(500) || layer.count > AnswerLimit.whole { break }
      add(annotation)
    }
    try AnswerLimit.check(count: layer.count)
    guard let bytes = layer.encoded() else { throw .outOfMemory }
    return bytes
  }

  private func add(_ annotation: Annotation) {
    let index = answer.snapshot.index
    let id = answer.result.layer(of: annotation).id(of: annotation, in: index).text
    let (x, y) = position(of: annotation)
    guard annotation.isCluster else {
      let record = index.record(at: annotation.first)
      // A feature may be long, and the next ones needn't be begun then.
      Interruption.poll(record.properties.count)
      addProperties(of: record)
      layer.tag("annotation_id", text: id)
      layer.point(id: TileWriter.number(of: record.rawID), x: x, y: y)
      return
    }
    layer.tag("cluster", .bool(true))
    layer.tag("cluster_id", text: id)
    layer.tag("point_count", .integer(annotation.count))
    switch annotation.count.abbreviated {
    case .number(let count): layer.tag("point_count_abbreviated", .integer(count))
    case .text(let text): layer.tag("point_count_abbreviated", text: text)
    }
    if hasExpansion {
      Interruption.poll(3000)
      // Tiles are 512 points wide, hence of a zoom one less.
      if let zoom = answer.result.expansionZoom(of: annotation, in: index) {
        layer.tag("expansion_zoom", .integer(zoom - 1))
      }
    }
    addGroup(of: annotation)
    addStatistics(of: annotation)
    layer.point(id: TileWriter.number(ofCluster: id), x: x, y: y)
  }

  /// Where an annotation is in the tile. What is drawn beside its own place may be outside.
  private func position(of annotation: Annotation) -> (Int, Int) {
    let rect = tile.rect
    let point = WebMercator.project(annotation.coordinate)
    // The shorter way around the world.
    var east = point.x - rect.x - rect.width / 2
    if east > WebMercator.worldSize / 2 { east -= WebMercator.worldSize }
    if east < -WebMercator.worldSize / 2 { east += WebMercator.worldSize }
    east += rect.width / 2
    func units(_ distance: Double) -> Int {
      let units = Int((distance / rect.width * Double(TileWriter.extent)).rounded(.down))
      return annotation.spread == nil ? min(max(units, 0), TileWriter.extent - 1) : units
    }
    return (units(east), units(point.y - rect.y))
  }

  // MARK: Ids

  /// The first number that is a cluster's.
  private static let firstOfClusters: UInt64 = 1 << 52

  /// The number of a feature whose id is one; nil for others.
  private static func number(of id: FeatureRecord.RawID) -> UInt64? {
    guard case .integer(let number, writtenAsText: false) = id, number >= 0 else { return nil }
    let bits = UInt64(number)
    return bits < firstOfClusters ? bits : nil
  }

  /// The number of a cluster, by its id.
  private static func number(ofCluster id: String) -> UInt64 {
    firstOfClusters | StableHash128(Array(id.utf8)).low & (firstOfClusters - 1)
  }

  // MARK: Tags

  private func addGroup(of annotation: Annotation) {
    guard let key = answer.result.layer(of: annotation).group?.key else { return }
    key.withUnsafeBytes { layer.tag("group", .string($0)) }
  }

  private func addStatistics(of annotation: Annotation) {
    guard let wanted = answer.statistics, let collector else { return }
    let found = collector.statistics(of: annotation, in: answer.result)
    if let weight = found.weight { layer.tag("weight", .init(weight)) }
    for (key, count) in found.counts {
      (Array("count:".utf8) + key).withUnsafeBytes { layer.tag($0, .integer(count)) }
    }
    for (aggregate, value) in zip(wanted.aggregates ?? [], found.aggregates) {
      guard let value else { continue }
      aggregate.name.withUnsafeBytes { layer.tag($0, .init(value)) }
    }
  }

  /// Adds the properties of a pin, except those by which clients would take it for a cluster.
  private func addProperties(of record: FeatureRecord) {
    switch answer.output.properties {
    case .none: return
    case .all:
      for (name, value) in PropertyReader.Members(of: record.properties) {
        let key = JSONScanner.unescape(name)
        guard !AnnotationWriter.reserved.contains(key) else { continue }
        key.withUnsafeBytes { add($0, value) }
      }
    case .names(let names):
      for name in names where !AnnotationWriter.reserved.contains(name) {
        guard let value = PropertyReader.value(of: name, in: record.properties) else { continue }
        name.withUnsafeBytes { add($0, value) }
      }
    }
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
