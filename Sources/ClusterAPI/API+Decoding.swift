import HTTPServer
import Texts
import Threading

/// Bodies that clients have compressed.
extension API {
  /// How a body is compressed; nil for not at all.
  ///
  /// - Throws: ``Problem`` 415 for a coding that isn't known here.
  static func isPacked(_ request: HTTPRequest) throws(Problem) -> Bool {
    guard request.body.count > 0, [.post, .put, .patch].contains(request.method),
      let coding = request.headers["Content-Encoding"]
    else { return false }
    let name = coding.trimmed
    if ["", "identity"].contains(where: { name.isSameField(as: $0) }) { return false }
    if ["gzip", "x-gzip"].contains(where: { name.isSameField(as: $0) }) { return true }
    throw Problem(
      415, "a body is sent as it is, or compressed with gzip: Content-Encoding names another way",
      headers: [("Accept-Encoding", "gzip, identity")])
  }

  /// Answers a request whose body is compressed, which is decoded for those only who may send it.
  ///
  /// - Parameter match: what the path names; nil if that is to be found.
  func unpack(
    _ request: HTTPRequest, at match: Route.Match?, from resources: Resources, isHere: Bool,
    _ finish: @escaping Reply
  ) throws {
    let match = try Route.permitted(request, at: match, from: resources)
    let takesFeatures = request.method == .post && match.route.takesFeatures
    let limits = resources.writer.limits
    let limit =
      takesFeatures ? limits.bodyBytes : max(ParserPool.maximumBody, limits.featureBytes)
    if request.body.count <= API.longBody, request.body.gzipSize <= API.longBody,
      let decoded = try decoded(request, limit: limit, isOnePart: true)
    {
      // The event loop reads no more of it than of a plain request.
      guard isHere, API.isLong(decoded) else {
        return try answer(decoded, at: match, from: resources, isHere: isHere, finish)
      }
      return enqueue(.quick, request, finish) {
        try self.answer(decoded, at: match, from: resources, isHere: false, finish)
      }
    }
    enqueue(takesFeatures ? .write : .quick, request, finish) {
      guard let decoded = try self.decoded(request, limit: limit, isOnePart: false) else { return }
      try self.answer(decoded, at: match, from: resources, isHere: false, finish)
    }
  }

  /// A request with its body decoded. The memory of that counts as that of a write of its client until it is
  /// free.
  ///
  /// - Parameters:
  ///   - limit: the most bytes that the body may be.
  ///   - isOnePart: whether the body is expected to be in one part, as most are, so that it holds no more than
  ///     it says.
  /// - Returns: nil if the body is expected to be in one part and is not.
  /// - Throws: ``Problem`` 400, 413 or 503.
  private func decoded(
    _ request: HTTPRequest, limit: Int, isOnePart: Bool
  ) throws(Problem) -> HTTPRequest? {
    // A body that isn't gzip alone may claim any size.
    let size = min(request.body.gzipSize, limit)
    guard let share = resources.writer.memory.share(of: size, for: request.client) else {
      throw .tooManyWrites
    }
    var request = request
    // Only decoding tells how much several parts hold together.
    for room in isOnePart || size == limit ? [size] : [size, limit] {
      guard share.resize(to: room) else { throw .tooManyWrites }
      do {
        request.body = try request.body.gunzipped(limit: room) { share.giveBack() }
        _ = share.resize(to: request.body.count)
        return request
      } catch {
        switch error {
        case .notGzip: throw Problem(400, "the body is not gzip, as Content-Encoding says it is")
        case .trailing(let end):
          throw Problem(400, "the body is gzip up to byte \(end), but bytes follow that aren't")
        case .damaged:
          throw Problem(400, "the gzip body is cut off or damaged")
        case .outOfMemory: throw .unavailable("the service is out of memory", .memory)
        case .tooLarge: continue
        }
      }
    }
    if isOnePart { return nil }
    throw .tooLarge("the decoded body is larger than \(limit) bytes")
  }
}
