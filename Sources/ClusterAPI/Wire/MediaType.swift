/// A media type that the service sends or takes.
enum MediaType: String, CaseIterable {
  case json = "application/json"
  case geoJSON = "application/geo+json"
  case mergePatch = "application/merge-patch+json"
  case html = "text/html"
  case yaml = "application/yaml"
  case plain = "text/plain"
  case eventStream = "text/event-stream"

  /// The `f` parameter's name for it.
  var shortName: String {
    switch self {
    case .json: "json"
    case .geoJSON: "geojson"
    case .mergePatch: "mergepatch"
    case .html: "html"
    case .yaml: "yaml"
    case .plain: "text"
    case .eventStream: "events"
    }
  }
}
