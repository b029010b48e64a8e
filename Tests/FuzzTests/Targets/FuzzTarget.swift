/// What takes bytes from strangers, and can be fed any. Each target checks what must hold of every input, beyond that
/// nothing crashes.
///
/// `scripts/fuzz` runs them under libFuzzer, and `FuzzTests` with the seeds in `Tests/FuzzSeeds` and what becomes of
/// them. A folder of seeds has the name of its target.
public enum FuzzTarget: String, CaseIterable, Sendable {
  case json
  case geoJSON = "geojson"
  case geoJSONSequence = "geojson-sequence"
  case csv
  case cql2Text = "cql2-text"
  case cql2JSON = "cql2-json"
  case request
  case http
  case annotationID = "annotation-id"
  case indexFile = "index-file"
  case keyFile = "key-file"
  case tokenKeyFile = "token-key-file"
  case token
  case marks

  /// Feeds an input. Throws ``FuzzFinding`` if something isn't as it must be. At any time one thread may feed each target.
  public func feed(_ input: UnsafeRawBufferPointer) throws {
    switch self {
    case .json: try FuzzJSON.feed(input)
    case .geoJSON: try FuzzFeatures.feed(input, .geoJSON)
    case .geoJSONSequence: try FuzzFeatures.feed(input, .geoJSONSequence)
    case .csv: try FuzzFeatures.feed(input, .csv)
    case .cql2Text: try FuzzFilter.shared.feed(text: input)
    case .cql2JSON: try FuzzFilter.shared.feed(json: input)
    case .request: try FuzzRequest.feed(input)
    case .http: try FuzzHTTP.shared.feed(input)
    case .annotationID: try FuzzAnnotationID.feed(input)
    case .indexFile: try FuzzIndexFile.feed(input)
    case .keyFile: try FuzzAccess.feed(keyFile: input)
    case .tokenKeyFile: try FuzzAccess.feed(tokenKeyFile: input)
    case .token: try FuzzAccess.shared.feed(token: input)
    case .marks: try FuzzMarks.feed(input)
    }
  }
}
