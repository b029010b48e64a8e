import ClusterCore
import GeoFormats

/// Prints annotations: as JSON, or as GeoJSON features with Supercluster's names.
struct AnnotationWriter {
  private let index: FeatureIndex
  private let result: ClusterResult
  private let options: OutputOptions
  /// The ids of the annotations that were on screen.
  private let previous: [String]
  private let titles: TitleWriter
  /// How ids of cells begin and end, by layer.
  private let names: [(head: [UInt8], tail: [UInt8])]
  private let statistics: StatisticsWriter?

  init(
    index: FeatureIndex, result: ClusterResult, options: OutputOptions,
    statistics: Statistics? = nil, previous: [String] = []
  ) {
    self.index = index
    self.result = result
    self.options = options
    self.previous = previous
    titles = TitleWriter(options, index)
    names = result.layers.map { layer in
      let head = layer.grid.map { CellName.head($0, cellSize: layer.cellSize) } ?? ""
      return (Array(head.utf8), Array(CellName.tail(layer.group?.name).utf8))
    }
    self.statistics = statistics.map(StatisticsWriter.init)
  }

  /// An annotation as a JSON object.
  func write(_ annotation: Annotation, into json: inout JSONWriter) {
    json.beginObject()
    writeMembers(annotation, into: &json)
    json.endObject()
  }

  /// The members of an annotation's JSON object.
  func writeMembers(_ annotation: Annotation, into json: inout JSONWriter) {
    json.key("id")
    writeID(of: annotation, into: &json)
    writeCommon(annotation, into: &json)
    if annotation.isCluster {
      writeMemberList(annotation, into: &json)
    } else {
      writePinFeature(annotation, into: &json)
    }
  }

  /// The id of an annotation, as a JSON string.
  func writeID(of annotation: Annotation, into json: inout JSONWriter) {
    switch annotation.place {
    case .cell(let cell): write(cell, nil, names[annotation.layer], into: &json)
    case .location(let cell, let location):
      write(cell, location, names[annotation.layer], into: &json)
    case .feature:
      json.value(result.layer(of: annotation).id(of: annotation, in: index).text)
    }
  }

  /// As ``CellName`` has it, without a String.
  private func write(
    _ cell: CellPosition, _ location: Location?, _ name: (head: [UInt8], tail: [UInt8]),
    into json: inout JSONWriter
  ) {
    json.beginString()
    json.part(name.head)
    json.part(cell.column)
    json.part("_")
    json.part(cell.row)
    if let location {
      json.part("_")
      json.part(Int(location.column))
      json.part(".")
      json.part(Int(location.row))
    }
    json.part(name.tail)
    json.endString()
  }

  /// What both forms have: all but the id and the features.
  private func writeCommon(_ annotation: Annotation, into json: inout JSONWriter) {
    json.key("coordinate")
    json.coordinate(annotation.coordinate)
    json.member("count", annotation.count)
    json.member("isCluster", annotation.isCluster)
    json.member("isUniqueLocation", annotation.isUniqueLocation)
    json.key("bbox")
    json.bbox(annotation.bounds)
    titles.write(annotation, result, into: &json)
    if let spread = annotation.spread {
      json.key("originalCoordinate")
      json.coordinate(spread.originalCoordinate)
      json.member("contested", spread.contested)
    }
    if let group = result.layer(of: annotation).group {
      json.key("group")
      if let key = group.key { key.withUnsafeBytes { json.stringUTF8($0) } } else { json.null() }
    }
    statistics?.write(annotation, result, into: &json)
    if let place = annotation.reuses { json.member("reuses", previous[place]) }
  }

  private func writePinFeature(_ annotation: Annotation, into json: inout JSONWriter) {
    let record = index.record(at: annotation.first)
    json.key("feature")
    json.beginObject()
    json.key("id")
    json.featureID(record.rawID)
    json.properties(of: record, options.properties)
    json.endObject()
  }

  private func writeMemberList(_ annotation: Annotation, into json: inout JSONWriter) {
    guard options.members > 0 else { return }
    json.key("members")
    json.beginArray()
    for place in result.places(of: annotation, offset: 0, limit: options.members) {
      let record = index.record(at: place)
      json.beginObject()
      json.key("id")
      json.featureID(record.rawID)
      json.key("coordinate")
      json.coordinate(record.coordinate)
      json.properties(of: record, options.properties)
      json.endObject()
    }
    json.endArray()
  }

  // MARK: GeoJSON

  /// An annotation as a GeoJSON Feature: a cluster with Supercluster's properties, a pin as its own
  /// feature.
  func writeGeoJSON(_ annotation: Annotation, into json: inout JSONWriter) {
    json.beginObject()
    json.member("type", "Feature")
    if annotation.isCluster {
      writeCluster(annotation, into: &json)
    } else {
      writePin(annotation, into: &json)
    }
    json.endObject()
  }

  private func writeCluster(_ annotation: Annotation, into json: inout JSONWriter) {
    json.key("id")
    writeID(of: annotation, into: &json)
    writePoint(annotation.coordinate, into: &json)
    json.key("properties")
    json.beginObject()
    json.member("cluster", true)
    json.key("cluster_id")
    writeID(of: annotation, into: &json)
    json.member("point_count", annotation.count)
    json.key("point_count_abbreviated")
    AnnotationWriter.abbreviate(annotation.count, into: &json)
    json.key("id")
    writeID(of: annotation, into: &json)
    writeCommon(annotation, into: &json)
    writeMemberList(annotation, into: &json)
    json.endObject()
  }

  private func writePin(_ annotation: Annotation, into json: inout JSONWriter) {
    let record = index.record(at: annotation.first)
    json.key("id")
    json.featureID(record.rawID)
    if annotation.coordinate == record.coordinate {
      json.key("geometry")
      json.geometry(of: record)
    } else {
      writePoint(annotation.coordinate, into: &json)
    }
    json.key("properties")
    writeOwnProperties(record, of: annotation, into: &json)
    json.key("annotation")
    json.beginObject()
    writeCommon(annotation, into: &json)
    json.endObject()
  }

  private func writePoint(_ coordinate: Coordinate, into json: inout JSONWriter) {
    json.key("geometry")
    json.beginObject()
    json.member("type", "Point")
    json.key("coordinates")
    json.beginArray()
    json.value(coordinate.longitude)
    json.value(coordinate.latitude)
    json.endArray()
    json.endObject()
  }

  /// A pin's own properties and `annotation_id`. Own properties of the names that tell clusters
  /// apart are left out, so that no pin passes for a cluster.
  private func writeOwnProperties(
    _ record: FeatureRecord, of annotation: Annotation, into json: inout JSONWriter
  ) {
    json.beginObject()
    for (name, value) in PropertyReader.members(of: record.properties) {
      let key = PropertyReader.unescape(name)
      guard !AnnotationWriter.reserved.contains(key), isSelected(key) else { continue }
      key.withUnsafeBytes { json.keyUTF8($0) }
      json.raw(value)
    }
    json.key("annotation_id")
    writeID(of: annotation, into: &json)
    json.endObject()
  }

  private static let reserved = ["cluster", "point_count", "annotation_id"].map { Array($0.utf8) }

  private func isSelected(_ name: [UInt8]) -> Bool {
    switch options.properties {
    case .all: true
    case .none: false
    case .names(let names): names.contains(name)
    }
  }

  /// Supercluster's short counts: 999, "1.2k", "12k".
  private static func abbreviate(_ count: Int, into json: inout JSONWriter) {
    switch count {
    case 10_000...: json.value("\((count + 500) / 1000)k")
    case 1000...:
      let tenths = (count + 50) / 100
      json.value(tenths % 10 == 0 ? "\(tenths / 10)k" : "\(tenths / 10).\(tenths % 10)k")
    default: json.value(count)
    }
  }
}
