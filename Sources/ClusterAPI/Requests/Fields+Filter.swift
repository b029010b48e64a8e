import ClusterCore
import GeoFormats
import Texts

extension Fields {
  /// The languages of filters.
  enum FilterLanguage: String, CaseIterable {
    case text = "cql2-text"
    case json = "cql2-json"
    /// The text of drafts of the standard, as GDAL and QGIS write it; see ``CQL2/normal(_:ofDraft:)``.
    case draft = "cql-text"
  }

  /// The names of the fields that belong to a filter of a list of features, and of those for ids and times.
  static let filterNames = ["filter", "filter-lang", "filter-crs", "ids", "datetime"]
  /// The most features that a request may name.
  private static let mostIDs = 1000

  /// The filter in normal form. Without a language an object in a body is JSON, and everything else is text.
  func filter(_ name: String = "filter") throws -> FilterExpression? {
    let language = try filterLanguage()
    try checkReferenceSystem("filter-crs")
    guard has(name) else { return nil }
    func text() throws -> FilterExpression? {
      try string(name).map { try CQL2.normal($0, ofDraft: language == .draft) }
    }
    do {
      guard language == .json || inBody else { return try text() }
      return try withJSON(name) { json -> FilterExpression? in
        if language != .json, json.kind != .object { return try text() }
        guard language == nil || language == .json else {
          throw problem(
            name, status: 422, "\(name) is CQL2 JSON, and filter-lang says that it is CQL2 text")
        }
        // The text of JSON is taken in a body, too.
        guard inBody, let text = json.stringBytes else { return try CQL2.normal(json) }
        return try CQL2.normal(try JSONParser().parse(text))
      } ?? nil
    } catch let error as CQL2Error {
      throw problem(name, status: error.status, "\(error)")
    } catch let error as JSONError {
      throw problem(name, "\(name) is not JSON text: \(error)")
    }
  }

  /// The ids of the only features that a request is about, if they are given.
  func onlyIDs(_ name: String = "ids") throws(Problem) -> [FeatureID]? {
    guard let ids = try featureIDs(name) else { return nil }
    guard ids.count <= Fields.mostIDs else {
      throw problem(
        name, status: 422, "\(name) has \(ids.count) ids, more than \(Fields.mostIDs)")
    }
    return ids
  }

  /// The language of the filter, if it is given.
  func filterLanguage() throws(Problem) -> FilterLanguage? {
    try choice("filter-lang", FilterLanguage.self)
  }

  /// Refuses other coordinates than longitudes and latitudes of WGS 84. They are named by their URI or, as in OGC API
  /// Features, part 2, by a safe CURIE.
  func checkReferenceSystem(_ name: String) throws(Problem) {
    let crs84 = ReferenceSystem.crs84
    guard let crs = try string(name), ![crs84, "[OGC:CRS84]"].contains(where: crs.isSame) else {
      return
    }
    throw problem(name, "\(name) is not \(crs84), the only one that is known here")
  }

  /// The span of time: an instant, or two with a slash between them, either of which may be `..` or nothing.
  func datetime(_ name: String = "datetime") throws(Problem) -> TimeExtent? {
    guard let text = try string(name) else { return nil }
    let parts = text.parts(separatedBy: UInt8(ascii: "/"), atMost: 3)
    func time(_ part: Substring) throws(Problem) -> TimeExtent {
      guard let time = DateTime.extent(Array(part.utf8)) else {
        throw problem(
          name,
          "\(name) is neither a date-time such as 2026-07-01T12:00:00Z, nor a date such as 2026-07-01, nor two "
            + "of them with / between, of which one may be ..")
      }
      return time
    }
    if parts.count == 1 { return try time(parts[0]) }
    guard parts.count == 2 else { return try time("") }
    let isOpen = parts.map { $0.isEmpty || $0.isSame(as: "..") }
    let first = isOpen[0] ? -.infinity : try time(parts[0]).first
    let last = isOpen[1] ? .infinity : try time(parts[1]).last
    guard first <= last else {
      throw problem(name, status: 422, "\(name) ends before it begins")
    }
    return TimeExtent(first: first, last: last)
  }
}

extension CQL2Error {
  /// A malformed or impossible filter is a bad request; one that is only too large or too deep is
  /// well-formed.
  fileprivate var status: Int {
    switch self {
    case .syntax, .json, .impossible: 400
    case .tooLarge, .tooDeep: 422
    }
  }
}

extension Fields {
  /// The distances from the place that `near` names, by which a list is in order. Pages would need an offset in it,
  /// which `near` doesn't go with.
  func near() throws(Problem) -> GlobeDistance? {
    guard let values = try numbers("near") else { return nil }
    guard values.count == 2 else {
      throw problem("near", "near is two numbers, a longitude and a latitude")
    }
    guard values[0].magnitude <= 180, values[1].magnitude <= 90 else {
      throw problem(
        "near", status: 422,
        "near is \(values[0]), \(values[1]), beyond ±180 and ±90 degrees; longitude comes first")
    }
    for name in ["offset", "sortby"] where has(name) {
      let detail =
        "near and \(name) can't be used together: near is an order by itself, without pages"
      var problem = problem("near", detail)
      problem.items += self.problem(name, detail).items
      throw problem
    }
    return GlobeDistance(from: Coordinate(latitude: values[1], longitude: values[0]))
  }
}
