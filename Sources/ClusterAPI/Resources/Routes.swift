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
    if let collection = Route.collection(ofClusters: path) {
      self = .clusters(collection)
      return
    }
    if path == "*" {
      self = .service
      return
    }
    var segments: [String] = []
    segments.reserveCapacity(5)
    var parts = EncodedText(path).parts(separatedBy: UInt8(ascii: "/"))
    // What is before the first slash: nothing.
    let beginning = parts.next()
    for part in parts {
      guard let segment = part.decoded() else {
        throw Problem(400, "the path holds a broken percent escape or isn't UTF-8")
      }
      segments.append(segment)
    }
    guard beginning?.isEmpty == true, let route = Route(segments) else {
      throw .notFound("nothing is at this path")
    }
    self = route
  }

  /// The collection of which a path is the clusters, if it is and has no escapes: the path that is asked
  /// most, read without a list of its segments.
  private static func collection(ofClusters path: String) -> String? {
    let (head, tail): (StaticString, StaticString) = ("/collections/", "/clusters")
    var path = path
    return path.withUTF8 { path in
      let length = path.count - head.utf8CodeUnitCount - tail.utf8CodeUnitCount
      guard length > 0 else { return nil }
      let end = head.utf8CodeUnitCount + length
      let isThere = { (text: StaticString, place: Int) in
        (0..<text.utf8CodeUnitCount).allSatisfy { path[place + $0] == text.utf8Start[$0] }
      }
      guard isThere(head, 0), isThere(tail, end) else { return nil }
      let id = UnsafeBufferPointer(rebasing: path[head.utf8CodeUnitCount..<end])
      for byte in id
      where byte == UInt8(ascii: "/") || byte == UInt8(ascii: "%") || byte >= 0x80 { return nil }
      return String(decoding: id, as: UTF8.self)
    }
  }

  private init?(_ segments: [String]) {
    // An empty segment is a slash too many, but for the root itself.
    if segments.contains(where: \.isEmpty) && segments != [""] { return nil }
    switch segments.count {
    case 0: return nil
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
      self.init(in: segments[1], segments)
    }
  }

  private init?(in collection: String, _ all: [String]) {
    switch (all[2], all.count) {
    case ("clusters", 3): self = .clusters(collection)
    case ("clusters", 4): self = .annotation(collection, id: all[3])
    case ("clusters", 5) where all[4] == "items":
      self = .annotationItems(collection, id: all[3])
    case ("clusters", 5) where all[4] == "children":
      self = .annotationChildren(collection, id: all[3])
    case ("items", 3): self = .items(collection)
    case ("items", 4): self = .item(collection, feature: all[3])
    case ("items", 5) where all[4] == "locate": self = .locate(collection, feature: all[3])
    case ("pins", 3): self = .pins(collection)
    case ("changes", 3): self = .changes(collection)
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

  /// Whether the resource has a method.
  func allows(_ method: HTTPMethod) -> Bool {
    switch self {
    // The resource that is asked most, without a list.
    case .clusters: method == .get || method == .head || method == .post
    default: methods.contains(method)
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
