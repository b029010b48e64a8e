import AccessControl
import HTTPServer

/// A resource's path and methods; ``all`` lists them.
final class Route: Sendable {
  /// The parameters of a path, decoded; empty if the path has fewer.
  struct Parameters {
    /// The number of the route; nil for the service as a whole.
    var route: Int?
    /// The first: a collection, or a file.
    var collection = ""
    /// A feature or annotation of the collection, or the zoom of a tile.
    var member = ""
    var third = ""
    var fourth = ""
  }

  typealias Handler = @Sendable (Resources, Parameters, HTTPRequest) throws -> Outcome

  /// As openapi.yaml has it, with names in braces for parameters.
  let path: String
  /// The segments of the path; nil stands for a parameter.
  private let segments: [[UInt8]?]
  private let handlers: [(method: HTTPMethod, handler: Handler)]
  private let answersBeforeLoading: Bool
  /// Whether it needs no key.
  private let isPublic: Bool
  /// The methods, apart from OPTIONS.
  let methods: [HTTPMethod]
  /// The value of the header field Allow.
  private var allowed: String {
    (methods.map(\.description) + ["OPTIONS"]).joined(separator: ", ")
  }

  init(
    _ path: String, answersBeforeLoading: Bool = false, isPublic: Bool? = nil,
    _ handlers: KeyValuePairs<HTTPMethod, Handler>
  ) {
    self.path = path
    segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
      $0.first == "{" ? nil : Array($0.utf8)
    }
    self.answersBeforeLoading = answersBeforeLoading
    self.isPublic = isPublic ?? answersBeforeLoading
    self.handlers = handlers.map { ($0.key, $0.value) }
    methods = handlers.flatMap { $0.key == .get ? [.get, .head] : [$0.key] }
  }

  /// Answers a request by the resource that its path names.
  static func outcome(of request: HTTPRequest, from resources: Resources) throws -> Outcome {
    let (route, parameters) = try find(request.path)
    request.note { $0.route = parameters.route }
    if resources.catalog.isChecked {
      try route.check(request, parameters, resources.catalog.principal.grant)
    }
    if request.method == .options {
      return .now(HTTPResponse(status: 200, headers: [("Allow", route.allowed)]))
    }
    let method = request.method == .head ? .get : request.method
    guard let handler = route.handlers.first(where: { $0.method == method })?.handler else {
      throw Problem.methodNotAllowed(route.allowed)
    }
    guard route.answersBeforeLoading || resources.catalog.whole.isLoaded else {
      throw Problem.unavailable("the collections are being loaded")
    }
    return try handler(resources, parameters, request)
  }

  /// The number of the route of a request; nil if its path names none.
  static func number(of request: HTTPRequest) -> Int? { (try? find(request.path))?.1.route }

  /// Whether a request is one that changes what is stored.
  static func writes(_ request: HTTPRequest) -> Bool {
    switch request.method {
    case .put, .patch, .delete: true
    case .post: takesFeatures(request)
    default: false
    }
  }

  // MARK: Who may do what

  /// Whether a request needs no key.
  static func isPublic(_ request: HTTPRequest) -> Bool {
    (try? find(request.path))?.0.isPublic ?? false
  }

  /// The collection that a request is about; nil if it is about none or several.
  static func collection(of request: HTTPRequest) -> String? {
    guard let (route, parameters) = try? find(request.path), route.isOfCollection else {
      return nil
    }
    return parameters.collection
  }

  /// Whether a request is answered with something of several collections.
  static func lists(_ request: HTTPRequest) -> Bool {
    guard let path = (try? find(request.path))?.0.path else { return false }
    return ["/", "/api", "/collections"].contains(path)
  }

  /// Refuses a request that a grant doesn't cover.
  static func check(_ request: HTTPRequest, _ grant: Grant) throws(Problem) {
    let (route, parameters) = try find(request.path)
    try route.check(request, parameters, grant)
  }

  private var isOfCollection: Bool {
    segments.first == Array("collections".utf8) && segments.count > 1
  }

  private func check(
    _ request: HTTPRequest, _ parameters: Parameters, _ grant: Grant
  ) throws(Problem) {
    if isPublic || request.method == .options { return }
    // Whether there is such a collection makes no difference.
    if isOfCollection, !grant.covers(parameters.collection) {
      throw .forbidden("the key is not for this collection")
    }
    let isDrop = isOfCollection && segments.count == 2 && request.method == .delete
    let needed: AccessScope = isDrop ? .admin : Route.writes(request) ? .write : .read
    guard grant.scope >= needed else {
      throw .forbidden("this needs a key with the scope \(needed.name)", needs: needed)
    }
    if isAboutEverything, !grant.coversEverything {
      throw .forbidden("this tells of all features, and the key is for some of them")
    }
  }

  /// Whether it tells of all collections.
  private var isAboutEverything: Bool { answersBeforeLoading && !isPublic }

  /// Whether the body of a request holds features to store, so that it may be longer than others.
  static func takesFeatures(_ request: HTTPRequest) -> Bool {
    request.method == .post
      && (try? find(request.path))?.0.path == "/collections/{collectionId}/items"
  }

  /// The route of a percent-encoded path, and its parameters. An escaped slash is part of its segment.
  ///
  /// - Throws: ``Problem`` 404 if there is no such resource, 400 if the path can't be decoded.
  static func find(_ path: String) throws(Problem) -> (Route, Parameters) {
    if path == "*" { return (service, Parameters()) }
    let found: (Route, Parameters)? = try PathSegments.with(path) { segments in
      for (number, route) in byLength[segments.count] where route.matches(segments) {
        guard var parameters = route.parameters(of: segments) else { continue }
        parameters.route = number
        return (route, parameters)
      }
      return nil
    }
    guard let found else { throw .notFound("nothing is at this path") }
    return found
  }

  /// The routes with their numbers by the number of their segments.
  private static let byLength = (0...PathSegments.most).map { count in
    all.enumerated().filter { $0.element.segments.count == count }
  }

  /// Whether a path with as many segments has the names of this one. The last tells most apart.
  private func matches(_ path: borrowing PathSegments) -> Bool {
    for index in segments.indices.reversed() {
      guard let name = segments[index] else { continue }
      let text = path[index]
      guard name.count == text.count else { return false }
      for index in name.indices where name[index] != text[index] { return false }
    }
    return true
  }

  /// The parameters of a path; nil if one is empty.
  private func parameters(of path: borrowing PathSegments) -> Parameters? {
    var (values, count) = (Parameters(), 0)
    for index in segments.indices where segments[index] == nil {
      let text = path.text(index)
      if text.isEmpty { return nil }
      switch count {
      case 0: values.collection = text
      case 1: values.member = text
      case 2: values.third = text
      default: values.fourth = text
      }
      count += 1
    }
    return values
  }
}
