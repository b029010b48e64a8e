import ClusterCore
import GeoFormats

/// Encodes annotations: as JSON, or as GeoJSON features with Supercluster's names.
struct AnnotationWriter {
  let index: FeatureIndex
  let result: ClusterResult
  let options: AnnotationOptions
  /// Whether annotations carry all of their members; otherwise `writeChosen` writes them.
  private let hasAllMembers: Bool
  /// The ids of the annotations that were on screen.
  let previous: [String]
  let titles: TitleWriter
  let layers: LayerTexts
  let statistics: StatisticsWriter?

  init(
    collection: IndexedCollection, result: ClusterResult, options: AnnotationOptions,
    statistics: Statistics? = nil, previous: [String] = []
  ) throws(ImpossibleRequest) {
    index = collection.index
    self.result = result
    self.options = options
    hasAllMembers = options.fields == .all
    self.previous = previous
    titles = TitleWriter(options, collection)
    layers = LayerTexts(result.layers)
    self.statistics = try statistics.flatMap { (wanted) throws(ImpossibleRequest) in
      try StatisticsWriter(wanted, options.fields)
    }
  }

  /// Writes an annotation as an object in the form that the options ask for.
  func write(_ annotation: Annotation, into json: inout JSONWriter) {
    if options.form == .geoJSON { return writeGeoJSON(annotation, into: &json) }
    writeMembers(annotation, opening: true, into: &json)
    json.endObject()
  }

  /// Writes the members of an annotation's JSON object, and, if asked to, the brace before them. Others may
  /// follow.
  func writeMembers(
    _ annotation: Annotation, opening: Bool = false, into json: inout JSONWriter
  ) {
    guard hasAllMembers else {
      return writeChosenMembers(annotation, opening: opening, into: &json)
    }
    writeCommon(annotation, hasID: true, opening: opening, into: &json)
    if annotation.isCluster {
      writeMemberList(annotation, into: &json)
    } else {
      writePinFeature(annotation, into: &json)
    }
  }

  // MARK: Ids

  /// Writes the id of an annotation as a JSON string.
  func writeID(of annotation: Annotation, into json: inout JSONWriter) {
    if case .feature = annotation.key {
      json.value(featureName(annotation))
      return
    }
    layers.withTexts(ofLayer: annotation.layer) { texts in
      json.withRoomForElement(layers.maximumLength + 4 * JSONRoom.numberLength) { room in
        room.text("\"")
        AnnotationWriter.write(annotation.key, texts, into: &room)
        room.text("\"")
      }
    }
  }

  private func featureName(_ annotation: Annotation) -> String {
    result.layer(of: annotation).id(of: annotation, in: index).text
  }

  /// Writes the id of a cell or location as ``CellName`` forms it, without a String.
  @inline(__always)
  private static func write(
    _ key: Annotation.Key, _ texts: LayerTexts.Texts, into room: inout JSONRoom
  ) {
    switch key {
    case .cell(let cell): write(cell, texts, into: &room)
    case .location(let cell, let location):
      write(cell, texts, into: &room)
      room.text("_")
      room.integer(Int(location.column))
      room.text(".")
      room.integer(Int(location.row))
    case .feature: return
    }
    room.bytes(texts.tail)
  }

  @inline(__always)
  private static func write(
    _ cell: CellPosition, _ texts: LayerTexts.Texts, into room: inout JSONRoom
  ) {
    room.bytes(texts.head)
    room.integer(cell.column)
    room.text("_")
    room.integer(cell.row)
  }

  // MARK: Both forms

  /// Writes all members but the features, and but the id in GeoJSON, which has another place for it.
  private func writeCommon(
    _ annotation: Annotation, hasID: Bool, opening: Bool, into json: inout JSONWriter
  ) {
    var (hasName, opening) = (hasID, opening)
    if hasID, case .feature = annotation.key {
      if opening { json.beginObject() }
      json.member("id", featureName(annotation))
      (hasName, opening) = (false, false)
    }
    layers.withTexts(ofLayer: annotation.layer) { texts in
      json.withRoomForElement(
        512 + layers.maximumLength + 12 * JSONRoom.numberLength
      ) { room in
        if opening { room.text("{") }
        if hasName {
          room.text("\"id\":\"")
          AnnotationWriter.write(annotation.key, texts, into: &room)
          room.text("\",")
        }
        AnnotationWriter.writeFigures(annotation, into: &room)
        if !titles.hasProperty { TitleWriter.writeCount(annotation.count, into: &room) }
      }
      if titles.hasProperty { titles.write(annotation, result, into: &json) }
      if let spread = annotation.spread {
        json.key("originalCoordinate")
        json.coordinate(spread.originalCoordinate)
        json.member("contested", spread.contested)
      }
      if !texts.group.isEmpty { json.withRoom(texts.group.count) { $0.bytes(texts.group) } }
    }
    statistics?.write(annotation, result, into: &json)
    if let index = annotation.reuses { json.member("reuses", previous[index]) }
  }

  /// Writes the members from `coordinate` to `bbox`.
  @inline(__always)
  private static func writeFigures(_ annotation: Annotation, into room: inout JSONRoom) {
    let (coordinate, bounds) = (annotation.coordinate, annotation.bounds)
    room.text("\"coordinate\":{\"latitude\":")
    let latitude = room.number(coordinate.latitude)
    room.text(",\"longitude\":")
    let longitude = room.number(coordinate.longitude)
    room.text("},\"count\":")
    room.integer(annotation.count)
    switch (annotation.isCluster, annotation.isUniqueLocation) {
    case (true, false): room.text(",\"isCluster\":true,\"isUniqueLocation\":false,\"bbox\":[")
    case (true, true): room.text(",\"isCluster\":true,\"isUniqueLocation\":true,\"bbox\":[")
    case (false, true): room.text(",\"isCluster\":false,\"isUniqueLocation\":true,\"bbox\":[")
    case (false, false): room.text(",\"isCluster\":false,\"isUniqueLocation\":false,\"bbox\":[")
    }
    // A pin's bounds are its coordinate, which is encoded already.
    let west = write(bounds.west, like: coordinate.longitude, longitude, into: &room)
    room.text(",")
    let south = write(bounds.south, like: coordinate.latitude, latitude, into: &room)
    room.text(",")
    _ = write(bounds.east, like: bounds.west, west, into: &room)
    room.text(",")
    _ = write(bounds.north, like: bounds.south, south, into: &room)
    room.text("]")
  }

  /// Writes a number, by copying the bytes of another one if both are the same.
  @inline(__always)
  private static func write(
    _ value: Double, like other: Double, _ piece: JSONRoom.Piece, into room: inout JSONRoom
  ) -> JSONRoom.Piece {
    guard value.bitPattern == other.bitPattern else { return room.number(value) }
    room.again(piece)
    return piece
  }

  func writePinFeature(_ annotation: Annotation, into json: inout JSONWriter) {
    let record = index.record(at: annotation.first)
    if case .all = options.properties, case .integer(let id, writtenAsText: false) = record.rawID {
      let properties = record.properties
      json.withRoom(64 + JSONRoom.numberLength + properties.count) { room in
        room.text(",\"feature\":{\"id\":")
        room.integer(Int(id))
        room.text(",\"properties\":")
        room.bytes(properties)
        room.text("}")
      }
      return
    }
    json.key("feature")
    json.beginObject()
    json.key("id")
    json.featureID(record.rawID)
    json.properties(of: record, options.properties)
    json.endObject()
  }

  func writeMemberList(_ annotation: Annotation, into json: inout JSONWriter) {
    guard options.members > 0 else { return }
    json.key("members")
    json.beginArray()
    for ordinal in result.ordinals(of: annotation, offset: 0, limit: options.members) {
      let record = index.record(at: ordinal)
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

  /// Writes an annotation as a GeoJSON Feature: a cluster with Supercluster's properties, a pin as its own
  /// feature.
  private func writeGeoJSON(_ annotation: Annotation, into json: inout JSONWriter) {
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
    if hasAllMembers {
      writeCommon(annotation, hasID: false, opening: false, into: &json)
      writeMemberList(annotation, into: &json)
    } else {
      writeChosen(annotation, into: &json)
    }
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
    guard hasAllMembers else {
      return writeChosenParts(ofPin: annotation, record, into: &json)
    }
    writeOwnProperties(record, of: annotation, into: &json)
    json.key("annotation")
    json.beginObject()
    writeCommon(annotation, hasID: false, opening: false, into: &json)
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

  /// Writes a pin's own properties and `annotation_id`. Own properties with names by which clients recognize
  /// clusters are left out, so that no pin passes for a cluster.
  func writeOwnProperties(
    _ record: FeatureRecord, of annotation: Annotation, into json: inout JSONWriter
  ) {
    json.beginObject()
    for (name, value) in PropertyReader.Members(of: record.properties) {
      let key = JSONScanner.unescape(name)
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

  /// Writes a count in Supercluster's short form: 999, "1.2k", "12k".
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
