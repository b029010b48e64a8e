import HTTPServer

/// A resource's path and methods; ``all`` lists them.
struct Route: Sendable {
  /// The parameters of a path, decoded; empty if the path has fewer.
  struct Parameters: Equatable {
    /// The first: a collection, or a file.
    var collection = ""
    /// A feature or annotation of the collection.
    var member = ""
    /// What follows.
    var others: [String] = []

    /// Zoom, x and y of a tile.
    var tile: [String] { [member] + others }
  }

  typealias Handler = @Sendable (Resources, Parameters, HTTPRequest) throws -> Outcome

  /// With `*` for each parameter.
  let path: String
  /// The segments of the path; nil stands for a parameter.
  private let segments: [String?]
  private let handlers: [(method: HTTPMethod, handler: Handler)]
  private let answersBeforeLoading: Bool
  /// The methods, apart from OPTIONS.
  let methods: [HTTPMethod]
  /// The value of the header field Allow.
  private var allowed: String {
    (methods.map(\.description) + ["OPTIONS"]).joined(separator: ", ")
  }

  init(
    _ path: String, answersBeforeLoading: Bool = false,
    _ handlers: KeyValuePairs<HTTPMethod, Handler>
  ) {
    self.path = path
    segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
      $0 == "*" ? nil : String($0)
    }
    self.answersBeforeLoading = answersBeforeLoading
    self.handlers = handlers.map { ($0.key, $0.value) }
    methods = handlers.flatMap { $0.key == .get ? [.get, .head] : [$0.key] }
  }

  /// Answers a request by the resource that its path names.
  static func outcome(of request: HTTPRequest, from resources: Resources) throws -> Outcome {
    let (route, parameters) = try find(request.path)
    if request.method == .options {
      return .now(HTTPResponse(status: 200, headers: [("Allow", route.allowed)]))
    }
    let method = request.method == .head ? .get : request.method
    guard let handler = route.handlers.first(where: { $0.method == method })?.handler else {
      throw Problem.methodNotAllowed(route.allowed)
    }
    guard route.answersBeforeLoading || resources.catalog.isLoaded else {
      throw Problem.unavailable("the collections are being loaded")
    }
    return try handler(resources, parameters, request)
  }

  /// Whether a request is one that changes what is stored.
  static func writes(_ request: HTTPRequest) -> Bool {
    switch request.method {
    case .put, .patch, .delete: true
    case .post: takesFeatures(request)
    default: false
    }
  }

  /// Whether the body of a request holds features to store, so that it may be longer than others.
  static func takesFeatures(_ request: HTTPRequest) -> Bool {
    request.method == .post && (try? find(request.path))?.0.path == "/collections/*/items"
  }

  /// The route of a percent-encoded path, and its parameters. An escaped slash is part of its segment.
  ///
  /// - Throws: ``Problem`` 404 if there is no such resource, 400 if the path can't be decoded.
  static func find(_ path: String) throws(Problem) -> (Route, Parameters) {
    if let collection = collection(ofClusters: path) {
      return (clusters, Parameters(collection: collection))
    }
    if path == "*" { return (service, Parameters()) }
    var segments: [String] = []
    segments.reserveCapacity(5)
    var parts = EncodedText(path).parts(separatedBy: UInt8(ascii: "/"))
    // A path begins with a slash, so the first part is empty.
    let beginning = parts.next()
    for part in parts {
      guard let segment = part.decoded() else {
        throw Problem(400, "the path holds a broken percent escape or isn't UTF-8")
      }
      segments.append(segment)
    }
    // A slash at the end means nothing more.
    if segments.count > 1, segments.last == "", segments[segments.count - 2] != "" {
      segments.removeLast()
    }
    if beginning?.isEmpty == true {
      for route in byLength[segments.count] ?? [] {
        if let parameters = route.parameters(of: segments) { return (route, parameters) }
      }
    }
    throw .notFound("nothing is at this path")
  }

  /// The routes by the number of their segments.
  private static let byLength = Dictionary(grouping: all) { $0.segments.count }

  /// The parameters of a path; nil if it is that of another resource.
  private func parameters(of path: [String]) -> Parameters? {
    guard path.count == segments.count else { return nil }
    var (values, count) = (Parameters(), 0)
    for (segment, text) in zip(segments, path) {
      if let segment {
        guard segment == text else { return nil }
        continue
      }
      if text.isEmpty { return nil }
      switch count {
      case 0: values.collection = text
      case 1: values.member = text
      default: values.others.append(text)
      }
      count += 1
    }
    return values
  }

  /// The collection in the path of its clusters, if the path is one and has no escapes. This is the path
  /// that is asked most, so it is read without a list of its segments.
  private static func collection(ofClusters path: String) -> String? {
    let (head, tail): (StaticString, StaticString) = ("/collections/", "/clusters")
    var path = path
    return path.withUTF8 { path in
      let length = path.count - head.utf8CodeUnitCount - tail.utf8CodeUnitCount
      guard length > 0 else { return nil }
      let end = head.utf8CodeUnitCount + length
      let holds = { (text: StaticString, offset: Int) in
        (0..<text.utf8CodeUnitCount).allSatisfy { path[offset + $0] == text.utf8Start[$0] }
      }
      guard holds(head, 0), holds(tail, end) else { return nil }
      let id = UnsafeBufferPointer(rebasing: path[head.utf8CodeUnitCount..<end])
      for byte in id
      where byte == UInt8(ascii: "/") || byte == UInt8(ascii: "%") || byte >= 0x80 { return nil }
      return String(decoding: id, as: UTF8.self)
    }
  }
}
