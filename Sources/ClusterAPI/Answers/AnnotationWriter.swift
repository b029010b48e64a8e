import ClusterCore
import GeoFormats
import Threading

/// Encodes annotations: as JSON, or as GeoJSON features with Supercluster's names.
struct AnnotationWriter {
  private let index: FeatureIndex
  private let result: ClusterResult
  private let options: AnnotationOptions
  private let hasAllMembers: Bool
  /// The most features that a cluster lists.
  private let memberLimit: Int
  /// The ids of the annotations that were on screen.
  private let previous: [String]
  private let titles: TitleWriter
  private let layers: LayerTexts
  private let statistics: StatisticsWriter?
  private let numberTexts: NumberTexts
  private let numbers: NumberTexts.Pointers

  init(
    collection: IndexedCollection, result: ClusterResult, options: AnnotationOptions,
    statistics: Statistics? = nil, previous: [String] = []
  ) throws(ImpossibleRequest) {
    index = collection.index
    self.result = result
    self.options = options
    hasAllMembers = options.fields == .all
    memberLimit = options.fields.contains(.members) ? options.members : 0
    self.previous = previous
    titles = TitleWriter(options, collection)
    layers = LayerTexts(result.layers)
    numberTexts = NumberTexts()
    numbers = numberTexts.pointers
    self.statistics = try statistics.flatMap { (wanted) throws(ImpossibleRequest) in
      try StatisticsWriter(wanted, options.fields)
    }
  }

  /// Writes an annotation as an object in the form that the options ask for.
  func write(_ annotation: Annotation, into json: inout JSONWriter) {
    if Interruption.poll(200) || json.count > AnswerLimit.whole { return }
    if options.isGeoJSON { return writeGeoJSON(annotation, into: &json) }
    writeMembers(annotation, opening: true, into: &json)
    json.endObject()
  }

  /// Writes the members of an annotation's JSON object, and the brace before them if asked to.
  func writeMembers(_ annotation: Annotation, opening: Bool = false, into json: inout JSONWriter) {
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
    if !texts.tail.isEmpty { room.short(texts.tail) }
  }

  @inline(__always)
  private static func write(
    _ cell: CellPosition, _ texts: LayerTexts.Texts, into room: inout JSONRoom
  ) {
    room.short(texts.head)
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
    let fields = options.fields
    layers.withTexts(ofLayer: annotation.layer) { texts in
      let comma = json.commaIsDue
      json.withRoom(513 + layers.maximumLength + 12 * JSONRoom.numberLength) { room in
        var comma = comma
        if opening || hasName {
          if comma { room.text(",") }
          if opening { room.text("{") }
          comma = hasName
        }
        if hasName {
          room.text("\"id\":\"")
          AnnotationWriter.write(annotation.key, texts, into: &room)
          room.text("\"")
        }
        if hasAllMembers {
          if comma { room.text(",") }
          writeFigures(annotation, into: &room)
        } else {
          writeFigures(annotation, fields, comma, into: &room)
        }
      }
      if titles.hasProperty {
        if fields.contains(.title) { titles.writeTitle(annotation, into: &json) }
        if fields.contains(.subtitle) { titles.writeSubtitle(annotation, result, into: &json) }
      }
      if let spread = annotation.spread {
        if fields.contains(.originalCoordinate) {
          json.key("originalCoordinate")
          json.coordinate(spread.originalCoordinate)
        }
        if fields.contains(.contested) { json.member("contested", spread.contested) }
      }
      if !texts.group.isEmpty, fields.contains(.group) {
        json.withRoomForElement(texts.group.count) { $0.bytes(texts.group) }
      }
    }
    statistics?.write(annotation, result, into: &json)
    if let index = annotation.reuses { json.member("reuses", previous[index]) }
  }

  /// Writes those of the members from `coordinate` to `subtitle` that are wanted, but no titles of features.
  private func writeFigures(
    _ annotation: Annotation, _ fields: AnnotationFields, _ comma: Bool, into room: inout JSONRoom
  ) {
    let figures = AnnotationFigures(annotation, numbers)
    var comma = comma
    func begin(_ field: AnnotationFields) -> Bool {
      guard fields.contains(field) else { return false }
      if comma { room.text(",") }
      comma = true
      return true
    }
    if begin(.coordinate) {
      room.text("\"coordinate\":{\"latitude\":")
      figures.write(0, into: &room)
      room.text(",\"longitude\":")
      figures.write(1, into: &room)
      room.text("}")
    }
    if begin(.count) {
      room.text("\"count\":")
      room.integer(annotation.count)
    }
    if begin(.isCluster) {
      room.text(annotation.isCluster ? "\"isCluster\":true" : "\"isCluster\":false")
    }
    if begin(.isUniqueLocation) {
      let isUnique = annotation.isUniqueLocation
      room.text(isUnique ? "\"isUniqueLocation\":true" : "\"isUniqueLocation\":false")
    }
    if begin(.bbox) {
      room.text("\"bbox\":[")
      for index in 2..<6 {
        if index > 2 { room.text(",") }
        figures.write(index, into: &room)
      }
      room.text("]")
    }
    guard !titles.hasProperty else { return }
    if begin(.title) { TitleWriter.writeCount(annotation.count, into: &room) }
    if begin(.subtitle) { room.text("\"subtitle\":null") }
  }

  /// Writes the members from `coordinate` to `subtitle`, but no titles of features.
  @inline(__always)
  private func writeFigures(_ annotation: Annotation, into room: inout JSONRoom) {
    let figures = AnnotationFigures(annotation, numbers)
    room.text("\"coordinate\":{\"latitude\":")
    let latitude = figures.write(0, into: &room)
    room.text(",\"longitude\":")
    let longitude = figures.write(1, into: &room)
    room.text("},\"count\":")
    let count = room.integer(annotation.count)
    switch (annotation.isCluster, annotation.isUniqueLocation) {
    case (true, false): room.text(",\"isCluster\":true,\"isUniqueLocation\":false,\"bbox\":[")
    case (true, true): room.text(",\"isCluster\":true,\"isUniqueLocation\":true,\"bbox\":[")
    case (false, true): room.text(",\"isCluster\":false,\"isUniqueLocation\":true,\"bbox\":[")
    case (false, false): room.text(",\"isCluster\":false,\"isUniqueLocation\":false,\"bbox\":[")
    }
    // A pin's bounds are its coordinate, which is encoded already.
    let west = figures.write(2, like: 1, longitude, into: &room)
    room.text(",")
    let south = figures.write(3, like: 0, latitude, into: &room)
    room.text(",")
    figures.write(4, like: 2, west, into: &room)
    room.text(",")
    figures.write(5, like: 3, south, into: &room)
    if titles.hasProperty { return room.text("]") }
    room.text("],\"title\":\"")
    room.again(count)
    if annotation.isCluster {
      room.text(" annotations\",\"subtitle\":null")
    } else {
      room.text(" annotation\",\"subtitle\":null")
    }
  }

  private func writePinFeature(_ annotation: Annotation, into json: inout JSONWriter) {
    guard options.fields.contains(.feature) else { return }
    let record = index.record(at: annotation.first)
    if case .all = options.properties, case .integer(let id, writtenAsText: false) = record.rawID {
      let properties = record.properties
      json.withRoom(64 + JSONRoom.numberLength + properties.count) { room in
        // The id comes before it, so a comma is always due.
        room.text(",\"feature\":{\"id\":")
        room.integer(Int(id))
        room.text(",\"properties\":")
        room.bytes(properties)
        room.text("}")
      }
      return
    }
    json.object("feature") { json in
      json.key("id")
      json.featureID(record.rawID)
      json.properties(of: record, options.properties)
    }
  }

  private func writeMemberList(_ annotation: Annotation, into json: inout JSONWriter) {
    guard memberLimit > 0 else { return }
    json.array("members") { json in
      for ordinal in result.ordinals(of: annotation, offset: 0, limit: memberLimit) {
        let record = index.record(at: ordinal)
        if Interruption.poll(100 &+ record.properties.count / 4) || json.count > AnswerLimit.whole {
          return
        }
        json.object { json in
          json.key("id")
          json.featureID(record.rawID)
          json.key("coordinate")
          json.coordinate(record.coordinate)
          json.properties(of: record, options.properties)
        }
      }
    }
  }

  // MARK: GeoJSON

  /// Writes a GeoJSON Feature: a cluster with Supercluster's properties, or a pin as its own feature.
  private func writeGeoJSON(_ annotation: Annotation, into json: inout JSONWriter) {
    json.object { json in
      json.member("type", "Feature")
      if annotation.isCluster {
        writeCluster(annotation, into: &json)
      } else {
        writePin(annotation, into: &json)
      }
    }
  }

  private func writeCluster(_ annotation: Annotation, into json: inout JSONWriter) {
    json.key("id")
    writeID(of: annotation, into: &json)
    json.point(annotation.coordinate)
    json.object("properties") { json in
      json.member("cluster", true)
      json.key("cluster_id")
      writeID(of: annotation, into: &json)
      json.member("point_count", annotation.count)
      json.key("point_count_abbreviated")
      AnnotationWriter.abbreviate(annotation.count, into: &json)
      json.key("id")
      writeID(of: annotation, into: &json)
      writeCommon(annotation, hasID: false, opening: false, into: &json)
      writeMemberList(annotation, into: &json)
    }
  }

  /// Writes a pin, which has `properties` and `annotation` whatever `fields` says.
  private func writePin(_ annotation: Annotation, into json: inout JSONWriter) {
    let record = index.record(at: annotation.first)
    json.key("id")
    json.featureID(record.rawID)
    if annotation.coordinate == record.coordinate {
      json.key("geometry")
      json.geometry(of: record)
    } else {
      json.point(annotation.coordinate)
    }
    json.object("properties") { json in
      if options.fields.contains(.feature) { writeOwnProperties(record, into: &json) }
      json.key("annotation_id")
      writeID(of: annotation, into: &json)
    }
    json.object("annotation") { writeCommon(annotation, hasID: false, opening: false, into: &$0) }
  }

  /// Writes a pin's own properties, except those by which clients would take it for a cluster.
  private func writeOwnProperties(_ record: FeatureRecord, into json: inout JSONWriter) {
    for (name, value) in PropertyReader.Members(of: record.properties) {
      let key = JSONScanner.unescape(name)
      guard !AnnotationWriter.reserved.contains(key), isSelected(key) else { continue }
      key.withUnsafeBytes { json.keyUTF8($0) }
      json.raw(value)
    }
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

extension JSONWriter {
  /// Writes the member `geometry` with a GeoJSON Point.
  fileprivate mutating func point(_ coordinate: Coordinate) {
    object("geometry") { json in
      json.member("type", "Point")
      json.key("coordinates")
      json.position(coordinate.longitude, coordinate.latitude)
    }
  }
}
