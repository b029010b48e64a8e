import ClusterCore
import GeoFormats

extension JSONWriter {
  /// Writes those of the members `expansionZoom` and `visibleMapRect` that are wanted.
  mutating func expansion(_ expansion: Expansion, _ fields: AnnotationFields = .all) {
    if fields.contains(.expansionZoom) {
      key("expansionZoom")
      if let zoom = expansion.zoom { value(zoom) } else { null() }
    }
    if fields.contains(.visibleMapRect) {
      key("visibleMapRect")
      mapRect(expansion.visibleMapRect)
    }
  }

  /// Writes a hull as a GeoJSON geometry: a Point, a LineString or a Polygon.
  mutating func geometry(_ hull: Hull) {
    object { json in
      let corners = hull.corners
      switch corners.count {
      case ...1: json.member("type", "Point")
      case 2: json.member("type", "LineString")
      default: json.member("type", "Polygon")
      }
      json.key("coordinates")
      if corners.count > 2 {
        json.array { $0.ring(corners) }
      } else if let first = corners.first, let last = corners.last, corners.count == 2 {
        json.array { json in
          json.position(first.longitude, first.latitude)
          json.position(last.longitude, last.latitude)
        }
      } else if let only = corners.first {
        json.position(only.longitude, only.latitude)
      }
    }
  }

  /// Writes the ring of a polygon, which ends where it begins.
  private mutating func ring(_ corners: [Coordinate]) {
    array { json in
      for corner in corners + corners.prefix(1) where json.count <= AnswerLimit.whole {
        json.position(corner.longitude, corner.latitude)
      }
    }
  }
}
