import Texts

/// How a response is sent to one client: compressed if the client prefers that and it saves bytes, with
/// an entity tag, or as 304 if the client already has the representation.
struct Preparation {
  /// The compressed body; nil if the body is sent as it is.
  private(set) var packed: Gzip.Packed?
  /// The parts of the entity tag.
  private(set) var tag: (base: String, isGzip: Bool)?
  /// Whether a 304 is sent.
  private(set) var isNotModified = false
  /// The response's own Vary fields with the names that this adds, in one, as some caches read one only; nil if it has none.
  private let vary: String?

  /// Decides. Linear in the body if that is compressed or hashed for a tag.
  init(of answer: HTTPResponse, for request: HTTPRequest) {
    let varying = answer.headers.filter { $0.name.isSameField(as: "Vary") }.map(\.value)
    vary = varying.isEmpty ? nil : Preparation.mergedVary(varying.joined(separator: ", "))
    if answer.stream != nil { return }
    let reads = request.method == .get || request.method == .head
    let coding = request.headers["Accept-Encoding"]
    let mayPack = coding != nil && answer.isWorthPacking
    let prefersGzip = (mayPack || answer.status == 304) && ContentCoding.prefersGzip(coding)
    let tagged = answer.status == 200 && (reads || request.method == .post)
    let base = answer.etag ?? (tagged ? EntityTag.hash(of: answer.body) : nil)

    if let base, reads, answer.status == 200 || answer.status == 304 {
      let match = EntityTag.match(request.headers, base: base, prefersGzip: prefersGzip)
      if match != .none || answer.status == 304 {
        (isNotModified, tag) = (true, (base, match == .gzip))
        return
      }
    }
    if mayPack, prefersGzip {
      if let kept = answer.kept {
        packed = kept.packed
      } else {
        packed = Gzip.compress(answer.body)
      }
    }
    // The tag of a PUT is that of the stored state, not of this body.
    if let base { tag = (base, packed != nil && tagged) }
  }

  /// Calls `body` with each header field to send, in order.
  @inline(__always)
  func forEachField(of answer: HTTPResponse, _ body: (_ name: String, _ value: FieldValue) -> Void)
  {
    var hasVary = false
    for (name, value) in answer.headers {
      // These describe a body that is not sent.
      if isNotModified, name.lowercasedASCII.begins(with: "content-") { continue }
      let isVary = name.isSameField(as: "Vary")
      if isVary, hasVary { continue }
      hasVary = hasVary || isVary
      body(name, .text(isVary ? vary ?? value : value))
    }
    if !hasVary { body("Vary", .text("Accept, Accept-Encoding")) }
    if packed != nil { body("Content-Encoding", .text("gzip")) }
    if let tag { body("ETag", .tag(tag.base, isGzip: tag.isGzip)) }
  }

  /// An upper bound of the bytes that its lines add to the response's own.
  var maximumSize: Int { 100 + (tag?.base.utf8.count ?? 0) + (vary?.utf8.count ?? 0) }

  private static func mergedVary(_ given: String) -> String {
    let names = given.parts(separatedBy: UInt8(ascii: ",")).map(\.trimmed)
    if names.contains(where: { $0.isSame(as: "*") }) { return given }
    let missing = ["Accept", "Accept-Encoding"].filter { name in
      !names.contains { $0.isSameField(as: name) }
    }
    return (missing.map { $0[...] } + names).joined(separator: ", ")
  }

  /// The value of a header field.
  enum FieldValue {
    case text(String)
    /// An entity tag, by its parts.
    case tag(String, isGzip: Bool)

    /// The value as text.
    var text: String {
      switch self {
      case .text(let text): text
      case .tag(let base, let isGzip): isGzip ? "\"\(base)\(EntityTag.gzipSuffix)\"" : "\"\(base)\""
      }
    }

    /// The length of the text in bytes.
    var count: Int {
      switch self {
      case .text(let text): text.utf8.count
      case .tag(let base, let isGzip):
        base.utf8.count + 2 + (isGzip ? EntityTag.gzipSuffix.utf8.count : 0)
      }
    }
  }
}

extension HTTPResponse {
  /// The response as the server sends it to this client: with Vary, compressed if the client prefers
  /// that and it saves bytes, with an entity tag, or as 304 if the client already has the
  /// representation. Linear in the body.
  public func prepared(for request: HTTPRequest) -> HTTPResponse {
    let preparation = Preparation(of: self, for: request)
    var answer = self
    answer.headers = []
    preparation.forEachField(of: self) { answer.headers.append((name: $0, value: $1.text)) }
    if preparation.isNotModified { (answer.status, answer.body) = (304, []) }
    if let packed = preparation.packed { answer.body = Array(packed.bytes) }
    if preparation.tag != nil { answer.etag = nil }
    return answer
  }

  fileprivate var isWorthPacking: Bool {
    body.count >= ContentCoding.smallest && status != 304 && status != 206
      && ContentCoding.isCompressible(header("Content-Type")) && header("Content-Encoding") == nil
  }
}
