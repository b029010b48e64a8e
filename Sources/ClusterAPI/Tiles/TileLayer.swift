import ClusterCore
import Collections
import GeoFormats
import Threading

/// The clusters and pins of a Mapbox Vector Tile, whichever way they are found.
struct TileLayer {
  private let tile: Tile
  private let properties: AnnotationOptions.PropertySelection
  let layer: VectorTileLayer

  /// The width and height of a tile in the units of its points.
  static let extent = 4096

  init(_ request: TileRequest, of snapshot: CollectionSnapshot) throws {
    let name = Array(snapshot.info.id.utf8)
    guard let layer = VectorTileLayer(name: name, extent: TileLayer.extent) else {
      throw ImpossibleRequest.outOfMemory
    }
    (tile, self.layer) = (request.tile, layer)
    properties = request.viewport.values.cell.output.properties
  }

  /// Whether there are more bytes than an answer may have.
  var isTooLong: Bool { layer.count > AnswerLimit.whole }

  /// The encoded tile.
  func encoded() throws(ImpossibleRequest) -> [UInt8] {
    try AnswerLimit.check(count: layer.count)
    guard let bytes = layer.encoded() else { throw .outOfMemory }
    return bytes
  }

  /// Adds a cluster. `tags` adds its other attributes.
  @inline(__always)
  func cluster(
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
  func pin(
    _ id: UnsafeRawBufferPointer, of record: FeatureRecord, at coordinate: Coordinate,
    isSpread: Bool = false
  ) {
    // A feature may be long, and the next ones needn't be begun then.
    Interruption.poll(record.properties.count)
    addProperties(of: record)
    layer.tag("annotation_id", .ownString(id))
    tag(featureID: record.rawID)
    let (x, y) = position(of: coordinate, isSpread: isSpread)
    layer.point(id: TileLayer.number(of: record.rawID), x: x, y: y)
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
      let units = Int((distance / rect.width * Double(TileLayer.extent)).rounded(.down))
      return isSpread ? units : min(max(units, 0), TileLayer.extent - 1)
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
    switch properties {
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
