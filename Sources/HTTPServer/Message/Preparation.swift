extension HTTPResponse {
  /// The answer as this client gets it: with Vary, compressed where the client likes that and it
  /// pays, with an entity tag, or as 304 when the client has the representation already.
  ///
  /// Pure, and applied by the server to every answer. Time is linear in the body.
  public func prepared(for request: HTTPRequest) -> HTTPResponse {
    var answer = self
    answer.headers.reserveCapacity(headers.count + 3)
    answer.addVary()
    if stream != nil { return answer }
    let reads = request.method == .get || request.method == .head
    let coding = request.headers["Accept-Encoding"]
    let mayPack = coding != nil && answer.isWorthPacking
    let prefersGzip = (mayPack || status == 304) && ContentCoding.prefersGzip(coding)
    let tagged = status == 200 && (reads || request.method == .post)
    let base = etag ?? (tagged ? EntityTag.hash(of: body) : nil)

    if let base, reads, status == 200 || status == 304 {
      let field = request.headers["If-None-Match"]
      let match = EntityTag.match(field, base: base, prefersGzip: prefersGzip)
      if match != .none || status == 304 { return answer.notModified(base: base, match: match) }
    }
    var packed = false
    if mayPack, prefersGzip, let small = Gzip.compress(body) {
      answer.body = small
      answer.headers.append((name: "Content-Encoding", value: "gzip"))
      packed = true
    }
    // On a PUT the tag is that of what was stored, not of this answer's bytes.
    if let base { answer.setTag(base: base, gzip: packed && tagged) }
    return answer
  }

  private var isWorthPacking: Bool {
    body.count >= ContentCoding.smallest && status != 304 && status != 206
      && ContentCoding.isCompressible(header("Content-Type")) && header("Content-Encoding") == nil
  }

  private func notModified(base: String, match: EntityTag.Match) -> HTTPResponse {
    var answer = self
    answer.status = 304
    answer.body = []
    // Fields that describe a body that is not sent; the client keeps those it has.
    answer.headers.removeAll { $0.name.lowercased().hasPrefix("content-") }
    answer.setTag(base: base, gzip: match == .gzip)
    return answer
  }

  private mutating func setTag(base: String, gzip: Bool) {
    var value = "\""
    value.reserveCapacity(base.utf8.count + 5)
    value += base
    if gzip { value += EntityTag.gzipSuffix }
    value += "\""
    headers.append((name: "ETag", value: value))
    etag = nil
  }

  private mutating func addVary() {
    let ours = "Accept, Accept-Encoding"
    guard let at = headers.firstIndex(where: { $0.name.isSameField(as: "Vary") }) else {
      headers.append((name: "Vary", value: ours))
      return
    }
    let given = headers[at].value
    let names = given.split(separator: ",").map(\.trimmed)
    if names.contains("*") { return }
    let missing = ["Accept", "Accept-Encoding"].filter { name in
      !names.contains { String($0).isSameField(as: name) }
    }
    headers[at].value = (missing.map { $0[...] } + names).joined(separator: ", ")
  }
}
