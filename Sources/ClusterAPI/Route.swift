import AccessControl
import Collections
import HTTPServer
import Texts

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

  /// The resource that a path names, and the parameters in it.
  typealias Match = (route: Route, parameters: Parameters)

  typealias Handler = @Sendable (Resources, Parameters, HTTPRequest) throws -> Outcome

  /// As openapi.yaml has it, with names in braces for parameters.
  let path: String
  /// The segments of the path; nil stands for a parameter.
  private let segments: [[UInt8]?]
  private let handlers: [(method: HTTPMethod, handler: Handler)]
  private let answersBeforeLoading: Bool
  /// Whether it tells of all features.
  private let tellsOfEverything: Bool
  /// Whether it is answered with something of several collections.
  let listsCollections: Bool
  /// Whether it is about the collection that its first parameter names.
  let isOfCollection: Bool
  /// The methods, apart from OPTIONS.
  let methods: [HTTPMethod]
  /// The value of the header field Allow.
  private var allowed: String {
    (methods.map(\.description) + ["OPTIONS"]).joined(separator: ", ")
  }

  init(
    _ path: String, answersBeforeLoading: Bool = false, tellsOfEverything: Bool = false,
    listsCollections: Bool = false, _ handlers: KeyValuePairs<HTTPMethod, Handler>
  ) {
    self.path = path
    segments = path.parts(separatedBy: UInt8(ascii: "/")).dropFirst().map {
      $0.begins(with: "{") ? nil : Array($0.utf8)
    }
    self.answersBeforeLoading = answersBeforeLoading
    self.tellsOfEverything = tellsOfEverything
    self.listsCollections = listsCollections
    isOfCollection = path.begins(with: "/collections/{")
    self.handlers = handlers.map { ($0.key, $0.value) }
    methods = handlers.flatMap { $0.key == .get ? [.get, .head] : [$0.key] }
  }

  /// The resource that a request's path names, which the client may ask in this way.
  ///
  /// - Parameter match: that resource; nil if it is to be found.
  static func permitted(
    _ request: HTTPRequest, at match: Match?, from resources: Resources
  ) throws -> Match {
    let match = try match ?? find(request.path)
    if resources.catalog.isChecked {
      try match.route.check(request, match.parameters, resources.catalog.principal.grant)
    }
    return match
  }

  /// Answers a request by the resource that its path names.
  ///
  /// - Parameter match: that resource; nil if it is to be found.
  static func outcome(
    of request: HTTPRequest, at match: Match? = nil, from resources: Resources
  ) throws -> Outcome {
    let (route, parameters) = try permitted(request, at: match, from: resources)
    request.note { $0.route = parameters.route }
    if request.method == .options {
      return .now(HTTPResponse(status: 200, headers: [("Allow", route.allowed)]))
    }
    let method = request.method == .head ? .get : request.method
    guard let handler = route.handlers.first(where: { $0.method == method })?.handler else {
      let allowed = route.allowed
      throw Problem(405, "this resource allows \(allowed)", headers: [("Allow", allowed)])
    }
    // Clients resolve `items/..`, which somebody has meant for a feature with that id.
    if request.method == .delete, request.path.utf8.last == UInt8(ascii: "/") {
      throw Problem.notFound("a path that is to be deleted has no slash at its end")
    }
    // No collection has another id, and Swift would take one that looks the same for it. Writes are told what an id is.
    if route.isOfCollection, !Catalog.isCollectionID(parameters.collection),
      !writes(method, postTakesFeatures: route.takesFeatures)
    {
      throw Problem.noCollection
    }
    guard route.answersBeforeLoading || resources.catalog.whole.isLoaded else {
      throw Problem.unavailable("the collections are being loaded")
    }
    guard route.isOfCollection, !writes(method, postTakesFeatures: route.takesFeatures),
      let asked = try AskedVersion(request)
    else { return try handler(resources, parameters, request) }
    let patient = Resources(resources, of: resources.catalog, from: asked.version)
    return try handler(patient, parameters, asked.request)
  }

  /// Whether a request is a write.
  static func writes(_ request: HTTPRequest) -> Bool {
    writes(request.method, postTakesFeatures: (try? find(request.path))?.route.takesFeatures)
  }

  private static func writes(
    _ method: HTTPMethod, postTakesFeatures: @autoclosure () -> Bool?
  ) -> Bool {
    switch method {
    case .put, .patch, .delete: true
    case .post: postTakesFeatures() ?? false
    default: false
    }
  }

  /// Whether a body that is posted holds features to store, so that it may be longer than others.
  var takesFeatures: Bool { path == "/collections/{collectionId}/items" }

  // MARK: Authorisation

  /// Whether it needs no key: resources that answer before the collections are loaded reveal nothing of them, except
  /// the figures of all.
  var isPublic: Bool { answersBeforeLoading && !tellsOfEverything }

  /// Refuses a request that a grant doesn't cover.
  func check(
    _ request: HTTPRequest, _ parameters: Parameters, _ grant: Grant
  ) throws(Problem) {
    if isPublic || request.method == .options { return }
    // Whether there is such a collection makes no difference.
    if isOfCollection, !grant.covers(parameters.collection) {
      throw .forbidden("the key is not for this collection")
    }
    let isDrop = isOfCollection && segments.count == 2 && request.method == .delete
    let isWrite = Route.writes(request.method, postTakesFeatures: takesFeatures)
    let needed: AccessScope = isDrop ? .admin : isWrite ? .write : .read
    guard grant.scope >= needed else {
      throw .forbidden("this needs a key with the scope \(needed.name)", needs: needed)
    }
    if tellsOfEverything, !grant.coversEverything {
      throw .forbidden("this tells of all features, and the key is for some of them")
    }
  }

  /// The route of a percent-encoded path, and its parameters. An escaped slash is part of its segment.
  ///
  /// - Throws: ``Problem`` 404 if there is no such resource, 400 if the path can't be decoded.
  static func find(_ path: String) throws(Problem) -> Match {
    if path.isSame(as: "*") { return (service, Parameters()) }
    let found: Match? = try PathSegments.with(path) { segments in
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
