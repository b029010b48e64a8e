import ClusterCore
import GeoFormats
import Threading

/// Encodes annotations: as JSON, or as GeoJSON features with Supercluster's names.
struct AnnotationWriter {
  let index: FeatureIndex
  let result: ClusterResult
  let options: AnnotationOptions
  /// On which side longitudes are; nil where they stay as they are.
  let side: LongitudeSide?
  /// The most features that a cluster lists.
  private let memberLimit: Int
  /// The ids of the annotations that were on screen.
  private let previous: [String]
  private let titles: TitleWriter
  private let layers: LayerTexts
  private let statistics: StatisticsWriter?
  private let numberTexts: NumberTexts
  private let numbers: NumberTexts.Pointers
  private let name = Name()

  /// Memory for the id of an annotation.
  private final class Name { var json = JSONWriter(reserving: 256) }

  /// The writer of an answer's annotations.
  init(_ answer: ClusterAnswer) throws(ImpossibleRequest) {
    let options = answer.output
    (index, result, side) = (answer.snapshot.index, answer.result, answer.side)
    self.options = options
    memberLimit = options.fields.contains(.members) ? options.members : 0
    previous = answer.changes?.previous ?? []
    titles = TitleWriter(options, answer.snapshot.collection)
    layers = LayerTexts(answer.result.layers)
    numberTexts = NumberTexts(rows: AnnotationFigures.numbers)
    numbers = numberTexts.pointers
    statistics = try answer.statistics.flatMap { (wanted) throws(ImpossibleRequest) in
      try StatisticsWriter(wanted, options.fields, of: answer.result)
    }
  }

  /// Writes an annotation as an object in the form that the options ask for.
  func write(_ annotation: Annotation, into json: inout JSONWriter) {
    if Cancellation.poll(200) || json.count > AnswerLimit.whole { return }
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
      writeFeature(annotation.first, into: &json)
    }
  }

  /// Writes the annotations of plain cells as objects, elements of an array, until there are more bytes than an answer
  /// may have.
  func write(_ cells: PlainCells, into json: inout JSONWriter) {
    // As copies, which loops keep in registers.
    let (fields, layers, numbers) = (options.fields, layers, numbers)
    let wantedRows = fields.contains(.bbox) ? AnnotationFigures.numbers : 2
    var comma = false
    layers.withTexts(ofLayer: 0) { texts in
      cells.forEachBatch { batch in
        guard json.count <= AnswerLimit.whole else { return }
        let haveTexts = numbers.encode(batch.figures, rows: wantedRows)
        for column in 0..<batch.count {
          let cell = batch[column]
          let figures = AnnotationFigures(
            count: cell.count, isUniqueLocation: cell.isUniqueLocation,
            texts: numbers.column(column, of: batch.figures),
            haveTexts: haveTexts &>> column & 1 != 0)
          json.withRoom(layers.lengthWithFigures) { room in
            room.text(comma ? ",{\"id\":\"" : "{\"id\":\"")
            texts.writeID(cell.position, cell.location, into: &room)
            room.text("\"")
            figures.writeMembers(fields, hasTitles: false, comma: true, into: &room)
            if cell.count > 1 { room.text("}") }
          }
          if cell.count == 1 {
            writeFeature(cell.first, into: &json)
            json.endObject()
          }
          comma = true
        }
      }
    }
  }

  /// Writes the member `feature` of a pin, if it is wanted.
  @inline(__always)
  private func writeFeature(_ ordinal: Int, into json: inout JSONWriter) {
    guard options.fields.contains(.feature) else { return }
    json.pinFeature(index.record(at: ordinal), options.properties)
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
        texts.writeID(annotation.key, into: &room)
        room.text("\"")
      }
    }
  }

  /// Calls `body` with the id of an annotation.
  func withID<R>(of annotation: Annotation, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    name.json.removeAll()
    writeID(of: annotation, into: &name.json)
    // Without the quotes, between which nothing is escaped.
    return name.json.withBytes { body(UnsafeRawBufferPointer(rebasing: $0.dropFirst().dropLast())) }
  }

  private func featureName(_ annotation: Annotation) -> String {
    result.layer(of: annotation).id(of: annotation, in: index).text
  }

  // MARK: Both forms

  /// Writes all members but the features, and but the id in GeoJSON, which has another place for it.
  func writeCommon(
    _ annotation: Annotation, hasID: Bool, opening: Bool, into json: inout JSONWriter
  ) {
    var (hasName, opening) = (hasID, opening)
    if hasID, case .feature = annotation.key {
      if opening { json.beginObject() }
      json.member("id", featureName(annotation))
      (hasName, opening) = (false, false)
    }
    let fields = options.fields
    let shown = side?.turned(annotation) ?? annotation
    layers.withTexts(ofLayer: annotation.layer) { texts in
      let comma = json.commaIsDue
      json.withRoom(layers.lengthWithFigures) { room in
        var comma = comma
        if opening || hasName {
          if comma { room.text(",") }
          if opening { room.text("{") }
          comma = hasName
        }
        if hasName {
          room.text("\"id\":\"")
          texts.writeID(annotation.key, into: &room)
          room.text("\"")
        }
        let figures = AnnotationFigures(shown, numbers)
        figures.writeMembers(fields, hasTitles: titles.hasProperty, comma: comma, into: &room)
      }
      if titles.hasProperty {
        if fields.contains(.title) { titles.writeTitle(annotation, into: &json) }
        if fields.contains(.subtitle) { titles.writeSubtitle(annotation, result, into: &json) }
      }
      if let spread = shown.spread {
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
    statistics?.write(annotation, into: &json)
    if annotation.isCluster, options.needsExpansion || options.needsHull {
      writeShape(annotation, into: &json)
    }
    if let index = annotation.reuses { json.member("reuses", previous[index]) }
  }

  /// Writes where a cluster comes apart, and its hull.
  private func writeShape(_ annotation: Annotation, into json: inout JSONWriter) {
    if options.needsExpansion {
      if Cancellation.poll(3000) { return }
      json.expansion(result.expansion(of: annotation, in: index), options.fields)
    }
    if options.needsHull {
      if Cancellation.poll(5000) { return }
      json.key("hull")
      let hull = result.hull(of: annotation, in: index)
      json.geometry(
        side.map { hull.turned(near: $0.turned(annotation).coordinate.longitude) } ?? hull)
    }
  }

  /// The coordinate of one of a cluster's features, within the bounds of the cluster on its side.
  private func place(of record: FeatureRecord, in cluster: Annotation) -> Coordinate {
    var coordinate = record.coordinate
    guard let side else { return coordinate }
    let bounds = side.turned(cluster).bounds
    coordinate.longitude = LongitudeSide.turned(
      coordinate.longitude, near: bounds.west + (bounds.east - bounds.west) / 2)
    return coordinate
  }

  func writeMemberList(_ annotation: Annotation, into json: inout JSONWriter) {
    guard memberLimit > 0 else { return }
    json.array("members") { json in
      for ordinal in result.ordinals(of: annotation, offset: 0, limit: memberLimit) {
        let record = index.record(at: ordinal)
        if Cancellation.poll(100 &+ record.properties.count / 4) || json.count > AnswerLimit.whole {
          return
        }
        json.object { json in
          json.key("id")
          json.featureID(record.rawID)
          json.key("coordinate")
          json.coordinate(place(of: record, in: annotation))
          json.properties(of: record, options.properties)
        }
      }
    }
  }
}

extension JSONWriter {
  /// Writes the member `feature` of a pin.
  mutating func pinFeature(
    _ record: FeatureRecord, _ selection: AnnotationOptions.PropertySelection
  ) {
    if case .all = selection, case .integer(let id, writtenAsText: false) = record.rawID {
      let properties = record.properties
      withRoom(64 + JSONRoom.numberLength + properties.count) { room in
        // Other members come before it, so a comma is always due.
        room.text(",\"feature\":{\"id\":")
        room.integer(Int(id))
        room.text(",\"properties\":")
        room.bytes(properties)
        room.text("}")
      }
      return
    }
    object("feature") { json in
      json.key("id")
      json.featureID(record.rawID)
      json.properties(of: record, selection)
    }
  }
}
