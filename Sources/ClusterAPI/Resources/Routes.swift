import ClusterCore
import HTTPServer

/// What a path names.
enum Route: Equatable {
  /// `*`: the service as a whole, for OPTIONS alone.
  case service
  case landing, openAPI, conformance, live, ready, metrics
  case collections
  case collection(String)
  case items(String)
  case item(String, feature: String)
  case locate(String, feature: String)
  case clusters(String)
  case annotation(String, id: String)
  case annotationItems(String, id: String)
  case annotationChildren(String, id: String)
  case pins(String)
  case changes(String)

  /// The route of a percent-encoded path. Escaped slashes belong to their segment.
  ///
  /// - Throws: ``Problem`` 404 where nothing is, 400 where the path can't be decoded.
  init(path: String) throws(Problem) {
    if path == "*" {
      self = .service
      return
    }
    var segments: [String] = []
    for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let segment = PercentCoding.decode(part) else {
        throw Problem(400, "the path holds a broken percent escape or isn't UTF-8")
      }
      segments.append(segment)
    }
    guard path.first == "/", let route = Route(segments) else {
      throw .notFound("nothing is at this path")
    }
    self = route
  }

  private init?(_ segments: [String]) {
    // An empty segment is a slash too many, but for the root itself.
    if segments.contains("") && segments != [""] { return nil }
    switch segments.count {
    case 0: self = .landing
    case 1:
      let roots: [String: Route] = [
        "": .landing, "openapi.yaml": .openAPI, "conformance": .conformance,
        "metrics": .metrics, "collections": .collections,
      ]
      guard let route = roots[segments[0]] else { return nil }
      self = route
    case 2:
      switch (segments[0], segments[1]) {
      case ("health", "live"): self = .live
      case ("health", "ready"): self = .ready
      case ("collections", let id): self = .collection(id)
      default: return nil
      }
    default:
      guard segments[0] == "collections" else { return nil }
      self.init(in: segments[1], Array(segments[2...]))
    }
  }

  private init?(in collection: String, _ rest: [String]) {
    switch (rest[0], rest.count) {
    case ("items", 1): self = .items(collection)
    case ("items", 2): self = .item(collection, feature: rest[1])
    case ("items", 3) where rest[2] == "locate": self = .locate(collection, feature: rest[1])
    case ("clusters", 1): self = .clusters(collection)
    case ("clusters", 2): self = .annotation(collection, id: rest[1])
    case ("clusters", 3) where rest[2] == "items":
      self = .annotationItems(collection, id: rest[1])
    case ("clusters", 3) where rest[2] == "children":
      self = .annotationChildren(collection, id: rest[1])
    case ("pins", 1): self = .pins(collection)
    case ("changes", 1): self = .changes(collection)
    default: return nil
    }
  }

  /// The methods the resource has, beside OPTIONS.
  var methods: [HTTPMethod] {
    switch self {
    case .service: [.get, .head, .post, .put, .patch, .delete]
    case .landing, .openAPI, .conformance, .live, .ready, .metrics, .collections,
      .annotation, .annotationItems, .annotationChildren, .changes:
      [.get, .head]
    case .collection: [.get, .head, .put, .delete]
    case .item: [.get, .head, .put, .patch, .delete]
    case .items: [.get, .head, .post, .delete]
    case .clusters, .pins: [.get, .head, .post]
    case .locate: [.post]
    }
  }
}

/// The Allow field.
enum Allowed {
  /// The methods and OPTIONS, comma-separated.
  static func text(_ methods: [HTTPMethod]) -> String {
    (methods.map(\.description) + ["OPTIONS"]).joined(separator: ", ")
  }
}
