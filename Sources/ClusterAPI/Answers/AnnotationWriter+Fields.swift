import ClusterCore
import GeoFormats

/// Annotations that carry only some of their members.
extension AnnotationWriter {
  /// The first members of an annotation's JSON object; also the brace before them, if it is to be opened.
  func writeChosenMembers(_ annotation: Annotation, opening: Bool, into json: inout JSONWriter) {
    if opening { json.beginObject() }
    json.key("id")
    writeID(of: annotation, into: &json)
    writeChosen(annotation, into: &json)
    if !annotation.isCluster, options.fields.contains(.feature) {
      writePinFeature(annotation, into: &json)
    }
  }

  /// The members of `fields` but for the feature of a pin, in the order that they have when all are
  /// written; also `reuses`, which always comes.
  func writeChosen(_ annotation: Annotation, into json: inout JSONWriter) {
    let fields = options.fields
    if fields.contains(.coordinate) {
      json.key("coordinate")
      json.coordinate(annotation.coordinate)
    }
    if fields.contains(.count) { json.member("count", annotation.count) }
    if fields.contains(.isCluster) { json.member("isCluster", annotation.isCluster) }
    if fields.contains(.isUniqueLocation) {
      json.member("isUniqueLocation", annotation.isUniqueLocation)
    }
    if fields.contains(.bbox) {
      json.key("bbox")
      json.bbox(annotation.bounds)
    }
    if fields.contains(.title) { titles.writeTitle(annotation, into: &json) }
    if fields.contains(.subtitle) { titles.writeSubtitle(annotation, result, into: &json) }
    if let spread = annotation.spread {
      if fields.contains(.originalCoordinate) {
        json.key("originalCoordinate")
        json.coordinate(spread.originalCoordinate)
      }
      if fields.contains(.contested) { json.member("contested", spread.contested) }
    }
    if fields.contains(.group) {
      layers.withTexts(ofLayer: annotation.layer) { texts in
        // The text begins with a comma, which isn't due in front of an object's first member.
        if !texts.group.isEmpty {
          json.raw(UnsafeRawBufferPointer(rebasing: texts.group.dropFirst()))
        }
      }
    }
    statistics?.write(annotation, result, into: &json)
    if let place = annotation.reuses { json.member("reuses", previous[place]) }
    if annotation.isCluster, fields.contains(.members) { writeMemberList(annotation, into: &json) }
  }

  /// The `properties` and the `annotation` of a pin as a GeoJSON Feature. Both are there whatever is
  /// chosen, so that a client need not ask for them.
  func writeChosenParts(
    ofPin annotation: Annotation, _ record: FeatureRecord, into json: inout JSONWriter
  ) {
    if options.fields.contains(.feature) {
      writeOwnProperties(record, of: annotation, into: &json)
    } else {
      json.beginObject()
      json.key("annotation_id")
      writeID(of: annotation, into: &json)
      json.endObject()
    }
    json.key("annotation")
    json.beginObject()
    writeChosen(annotation, into: &json)
    json.endObject()
  }
}
