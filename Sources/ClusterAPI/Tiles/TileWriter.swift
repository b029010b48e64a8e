import ClusterCore
import Collections
import GeoFormats
import Threading

/// Encodes annotations as a Mapbox Vector Tile.
struct TileWriter {
  private let answer: ClusterAnswer
  private let layer: TileLayer
  private let collector: StatisticsCollector?
  private let hasExpansion: Bool

  /// - Parameter answer: to the request's viewport.
  init(_ request: TileRequest, _ answer: ClusterAnswer) throws {
    self.answer = answer
    layer = try TileLayer(request, of: answer.snapshot)
    collector = try answer.statistics.map { (wanted) throws(ImpossibleRequest) in
      try StatisticsCollector(wanted, of: answer.result)
    }
    hasExpansion = request.hasExpansion
  }

  /// The tile of a request, with annotations in between; empty if nothing is there.
  static func tile(
    _ request: TileRequest, of snapshot: CollectionSnapshot
  ) throws -> [UInt8] {
    try TileWriter(request, ClusterAnswer(request.viewport, of: snapshot)).encode()
  }

  /// The tile with all annotations; empty if there are none.
  private func encode() throws(ImpossibleRequest) -> [UInt8] {
    guard !answer.result.annotations.isEmpty else { return [] }
    for annotation in answer.result.annotations {
      if Interruption.poll(500) || layer.isTooLong { break }
      add(annotation)
    }
    return try layer.encoded()
  }

  private func add(_ annotation: Annotation) {
    let index = answer.snapshot.index
    var text = answer.result.layer(of: annotation).id(of: annotation, in: index).text
    text.withUTF8 { utf8 in
      let id = UnsafeRawBufferPointer(utf8)
      guard annotation.isCluster else {
        return layer.pin(
          id, of: index.record(at: annotation.first), at: annotation.coordinate,
          isSpread: annotation.spread != nil)
      }
      layer.cluster(id, of: annotation.count, at: annotation.coordinate) {
        addExpansion(of: annotation)
        addGroup(of: annotation)
        addStatistics(of: annotation)
      }
    }
  }

  private func addExpansion(of annotation: Annotation) {
    guard hasExpansion else { return }
    Interruption.poll(3000)
    // Tiles are 512 points wide, hence of a zoom one less.
    let zoom = answer.result.expansionZoom(of: annotation, in: answer.snapshot.index)
    if let zoom { layer.layer.tag("expansion_zoom", .integer(zoom - 1)) }
  }

  private func addGroup(of annotation: Annotation) {
    guard let key = answer.result.layer(of: annotation).group?.key else { return }
    key.withUnsafeBytes { layer.layer.tag("group", .string($0)) }
  }

  private func addStatistics(of annotation: Annotation) {
    guard let wanted = answer.statistics, let collector else { return }
    let layer = layer.layer
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
}
