import CResources
import ClusterCore
import Collections
import GeoFormats
import HTTPServer
import Texts
import Threading

/// Files that are embedded in the binary.
extension Resources {
  func openAPI(_ request: HTTPRequest) throws -> HTTPResponse {
    _ = try Fields(query: request.query, allowed: [])
    let bytes = UnsafeBufferPointer(start: pincluster_openapi(), count: pincluster_openapi_size())
    return HTTPResponse(
      status: 200, headers: [("Content-Type", MediaType.yaml.rawValue)], body: Array(bytes))
  }

  /// The description in OpenAPI 3.0, with the service's own URL, and with properties as parameters of `items`: from
  /// these alone programs learn that they can leave a selection to the service.
  func openAPI30(_ request: HTTPRequest) throws -> Outcome {
    let fields = try Fields(query: request.query, allowed: ["f", "properties"])
    let format = try fields.string("f")
    // For generators, whose code must not change with the data.
    let properties = try fields.string("properties")
    guard properties?.isSame(as: "none") ?? true else {
      throw fields.problem("properties", "properties is not none, the only value that it has here")
    }
    let isFixed = properties != nil
    let base = base(of: request)
    // Programs ask for types of their own, and mean this one.
    let offered = [MediaType.openAPI, .json, .html]
    let type =
      try format.map { try request.negotiate(offered, format: $0) }
      ?? request.negotiateLeniently(offered)
    if type == .html { return .now(Resources.documentsPage(base, request)) }
    return .response(to: request, kind: ReadKind(.description)) { [catalog] in
      // A URL of a service has no characters that JSON escapes.
      let url = Array((base.isEmpty ? "/" : base).utf8)
      var json = JSONWriter()
      for name in isFixed ? [] : try Resources.sampledProperties(of: catalog) {
        json.write([
          "name": .string(name), "in": "query",
          "description": "Only features whose property of this name has this value.",
          "schema": ["type": "string"],
        ])
      }
      var parameters = json.take()
      if !parameters.isEmpty { parameters.append(UInt8(ascii: ",")) }
      let parts = Resources.openAPI30Parts
      return HTTPResponse(
        status: 200, headers: [("Content-Type", MediaType.openAPI.rawValue)],
        body: parts[0] + url + parts[1] + parameters + parts[2])
    }
  }

  /// Where the descriptions are, for people.
  private static func documentsPage(_ base: String, _ request: HTTPRequest) -> HTTPResponse {
    var page = HTMLPage(
      "The API", description: "What the service answers, in two documents that say the same.",
      above: [home(base)], base: base, for: request)
    page.add(actions: [
      ("OpenAPI 3.1, as YAML", "\(base)/openapi.yaml"),
      ("OpenAPI 3.0, as JSON, for programs", "\(base)/api?f=json"),
    ])
    return page.response()
  }

  /// The description before its URL, up to the parameters of `items`, and behind their beginning.
  private static let openAPI30Parts: [ArraySlice<UInt8>] = {
    let bytes = Array(
      UnsafeBufferPointer(start: pincluster_openapi30(), count: pincluster_openapi30_size()))
    func end(of text: String, from start: Int) -> Int {
      bytes[start...].firstRange(of: Array(text.utf8))?.upperBound ?? start
    }
    let url = end(of: "\"url\": \"", from: 0)
    let operation = end(of: "\"operationId\": \"listItems\"", from: url)
    let parameters = end(of: "\"parameters\": [", from: operation)
    // The URL that stands there is a slash.
    return [bytes[..<url], bytes[(url + 1)..<parameters], bytes[parameters...]]
  }()

  /// The collections of which features are looked at, the features of each, and the most names.
  private static let (sampledCollections, sampledFeatures, sampledNames) = (100, 48, 200)

  /// The names of properties that some features of the first collections have and that aren't fields of `items`.
  private static func sampledProperties(of catalog: CatalogView) throws -> [String] {
    var names: Set<ExactText> = []
    var budget = SampleBudget()
    for snapshot in try catalog.page(offset: 0, limit: sampledCollections) {
      let index = snapshot.index
      for ordinal in index.sampledOrdinals(min(sampledFeatures, index.count)) {
        let properties = index.record(at: ordinal).properties
        if Cancellation.poll(200 &+ properties.count) { return [] }
        guard budget.admits(properties) else { continue }
        for (text, _) in PropertyReader.Members(of: properties) {
          guard text.count <= PropertySurvey.longestName, names.count < sampledNames else { break }
          names.insert(ExactText(String(decoding: JSONScanner.unescape(text), as: UTF8.self)))
        }
      }
    }
    return names.subtracting(itemFields.map { ExactText($0) }).map(\.text).sorted()
  }

  func favicon(_ request: HTTPRequest) throws -> HTTPResponse {
    _ = try Fields(query: request.query, allowed: [])
    let bytes = UnsafeBufferPointer(start: pincluster_favicon(), count: pincluster_favicon_size())
    return HTTPResponse(
      status: 200,
      headers: [
        ("Content-Type", MediaType.svg.rawValue), Caching.forADay.field,
      ], body: Array(bytes))
  }
}
