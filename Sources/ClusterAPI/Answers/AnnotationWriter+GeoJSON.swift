import ClusterCore
import GeoFormats

extension AnnotationWriter {
  /// Writes a GeoJSON Feature: a cluster with Supercluster's properties, or a pin as its own feature.
  func writeGeoJSON(
    _ annotation: Annotation, into json: inout JSONWriter
  ) {
    json.object { json in
      json.member("type", "Feature")
      if annotation.isCluster {
        writeCluster(annotation, into: &json)
      } else {
        writePin(annotation, into: &json)
      }
    }
  }

  private func writeCluster(
    _ annotation: Annotation, into json: inout JSONWriter
  ) {
    json.key("id")
    if options.hasTextIDs {
      writeID(of: annotation, into: &json)
    } else {
      json.value(withID(of: annotation) { Int64(ClusterNumber.number(of: $0)) })
    }
    json.point(side?.turned(annotation.coordinate) ?? annotation.coordinate)
    json.object("properties") { json in
      json.member("cluster", true)
      json.key("cluster_id")
      writeID(of: annotation, into: &json)
      json.member("point_count", annotation.count)
      json.key("point_count_abbreviated")
      switch annotation.count.abbreviated {
      case .number(let count): json.value(count)
      case .text(let text): json.value(text)
      }
      json.key("id")
      writeID(of: annotation, into: &json)
      json.key("annotation_id")
      writeID(of: annotation, into: &json)
      writeCommon(annotation, hasID: false, opening: false, into: &json)
      writeMemberList(annotation, into: &json)
    }
  }

  /// Writes a pin, which has `properties` and `annotation` whatever `fields` says.
  private func writePin(
    _ annotation: Annotation, into json: inout JSONWriter
  ) {
    let record = index.record(at: annotation.first)
    if record.isIDText == options.hasTextIDs {
      json.key("id")
      json.featureID(record.rawID)
    }
    let coordinate = side?.turned(annotation.coordinate) ?? annotation.coordinate
    if annotation.coordinate == record.coordinate {
      json.key("geometry")
      json.geometry(of: record, longitude: coordinate.longitude)
    } else {
      json.point(coordinate)
    }
    json.object("properties") { json in
      if options.fields.contains(.feature) { writeOwnProperties(record, into: &json) }
      json.key("annotation_id")
      writeID(of: annotation, into: &json)
      json.key("feature_id")
      json.featureID(record.rawID)
    }
    json.object("annotation") {
      writeCommon(annotation, hasID: false, opening: false, into: &$0)
    }
  }

  /// Writes a pin's own properties, except those with the name of a mark.
  private func writeOwnProperties(_ record: FeatureRecord, into json: inout JSONWriter) {
    for (name, value) in PropertyReader.Members(of: record.properties) {
      let key = JSONScanner.unescape(name)
      guard !AnnotationMarks.contains(key), options.properties.contains(key) else {
        continue
      }
      key.withUnsafeBytes { json.keyUTF8($0) }
      json.raw(value)
    }
  }
}

extension Int {
  /// A count in Supercluster's short form.
  enum Abbreviated {
    case number(Int)
    case text(String)
  }

  /// The count in Supercluster's short form: 999, "1.2k", "12k".
  var abbreviated: Abbreviated {
    switch self {
    case 10_000...: return .text("\((self + 500) / 1000)k")
    case 1000...:
      let tenths = (self + 50) / 100
      return .text(tenths % 10 == 0 ? "\(tenths / 10)k" : "\(tenths / 10).\(tenths % 10)k")
    default: return .number(self)
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
