/// A media type that the service sends or takes.
enum MediaType: String {
  case json = "application/json"
  case geoJSON = "application/geo+json"
  case schema = "application/schema+json"
  case geoJSONSequence = "application/geo+json-seq"
  case newlineJSON = "application/x-ndjson"
  case csv = "text/csv"
  /// CSV with tabs, which isn't written.
  case tsv = "text/tab-separated-values"
  /// The type of CSV in browsers under Windows.
  case excel = "application/vnd.ms-excel"
  case octets = "application/octet-stream"
  case form = "multipart/form-data"
  case mergePatch = "application/merge-patch+json"
  case html = "text/html"
  case openAPI = "application/vnd.oai.openapi+json;version=3.0"
  case svg = "image/svg+xml"
  case yaml = "application/yaml"
  case plain = "text/plain"
  case eventStream = "text/event-stream"
  case vectorTile = "application/vnd.mapbox-vector-tile"

  /// Its name with the parameters that an answer of this type has.
  var withParameters: String {
    self == .csv ? "text/csv; charset=utf-8; header=present" : rawValue
  }

  /// Its name in the field `f`, for those that a client can choose by it.
  var shortName: String {
    switch self {
    case .geoJSON: "geojson"
    case .html: "html"
    case .csv: "csv"
    default: "json"
    }
  }
}
