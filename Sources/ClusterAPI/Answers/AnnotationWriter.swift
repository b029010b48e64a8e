import ClusterCore
import GeoFormats

/// Prints annotations: as JSON, or as GeoJSON features with Supercluster's names.
struct AnnotationWriter {
  let index: FeatureIndex
  /// The grid that cells' ids name, with its cell size in points.
  let grid: CellGrid
  let cellSize: Double
  let options: OutputOptions
  private let titles: TitleWriter
  private let forEachFeature: (Annotation, (Int) -> Bool) -> Void

  init(
    index: FeatureIndex, grid: CellGrid, cellSize: Double, options: OutputOptions,
    forEachFeature: @escaping (Annotation, (Int) -> Bool) -> Void
  ) {
    self.index = index
    self.grid = grid
    self.cellSize = cellSize
    self.options = options
    self.forEachFeature = forEachFeature
    titles = TitleWriter(options, index)
  }

  /// An annotation as a JSON object.
  func write(_ annotation: Annotation, into json: inout JSONWriter) {
    json.beginObject()
    writeMembers(annotation, into: &json)
    json.endObject()
  }

  /// The members of an annotation's JSON object.
  func writeMembers(_ annotation: Annotation, into json: inout JSONWriter) {
    json.member("id", id(of: annotation))
    writeCommon(annotation, into: &json)
    if annotation.isCluster {
      writeMemberList(annotation, into: &json)
    } else {
      writePinFeature(annotation, into: &json)
    }
  }

  private func id(of annotation: Annotation) -> String {
    index.id(of: annotation, grid: grid, cellSize: cellSize).text
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
    titles.write(annotation, forEachFeature, into: &json)
    if let spread = annotation.spread {
      json.key("originalCoordinate")
      json.coordinate(spread.originalCoordinate)
      json.member("contested", spread.contested)
    }
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
    var remaining = options.members
    // The callback can't hold on to `json`, so the places are collected first.
    var places: [Int] = []
    forEachFeature(annotation) { place in
      places.append(place)
      remaining -= 1
      return remaining > 0
    }
    json.key("members")
    json.beginArray()
    for place in places {
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
    let id = id(of: annotation)
    json.member("id", id)
    writePoint(annotation.coordinate, into: &json)
    json.key("properties")
    json.beginObject()
    json.member("cluster", true)
    json.member("cluster_id", id)
    json.member("point_count", annotation.count)
    json.key("point_count_abbreviated")
    AnnotationWriter.abbreviate(annotation.count, into: &json)
    json.member("id", id)
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
    writeOwnProperties(record, annotationID: id(of: annotation), into: &json)
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
    _ record: FeatureRecord, annotationID: String, into json: inout JSONWriter
  ) {
    json.beginObject()
    for (name, value) in PropertyReader.members(of: record.properties) {
      let key = PropertyReader.unescape(name)
      guard !AnnotationWriter.reserved.contains(key), isSelected(key) else { continue }
      key.withUnsafeBytes { json.keyUTF8($0) }
      json.raw(value)
    }
    json.member("annotation_id", annotationID)
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
