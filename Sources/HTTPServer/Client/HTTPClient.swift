import CCurl
import Texts
import Threading

/// A small blocking HTTP client that keeps its connection for the next request: libcurl, without what depends on the
/// environment and without redirects.
public final class HTTPClient: Sendable {
  /// The owner of libcurl's handle.
  ///
  /// `@unchecked Sendable`: it is used only under the lock.
  private final class Handle: @unchecked Sendable {
    let curl: UnsafeMutableRawPointer
    /// libcurl's words for a failure.
    let error: UnsafeMutablePointer<CChar>

    init?() {
      guard let curl = curl_easy_init() else { return nil }
      self.curl = curl
      error = .allocate(capacity: Int(CURL_ERROR_SIZE))
    }

    deinit {
      curl_easy_cleanup(curl)
      error.deallocate()
    }
  }

  /// The server of an https URL, and how it knows this client.
  public struct Trust: Sendable {
    /// A file of the authorities to trust; nil for those of the system.
    public var authorities: String?
    /// Whether the server must be who it says it is.
    public var verifies: Bool
    /// The files of a certificate and its key, for servers that want one.
    public var certificate: (file: String, key: String)?

    /// Trusts the authorities of the system.
    ///
    /// - Parameter verifies: whether the server must be who it says it is.
    public init(verifies: Bool = true) { self.verifies = verifies }
  }

  private let handle: Locked<Handle>
  private let server: String
  private let prefix: String
  private let trust: Trust
  /// The field Authorization, if there is one.
  private let authorization: [(name: String, value: String)]

  /// Creates a client for `http://host[:port][/prefix]`, or the same with https. The prefix goes before every path.
  ///
  /// - Parameter key: the key or token to send.
  /// - Throws: ``HTTPClientError`` if the text isn't such an address, or memory is short.
  public init(url: String, trust: Trust = Trust(), key: String? = nil) throws(HTTPClientError) {
    (server, prefix) = try HTTPClient.parts(of: url)
    guard let handle = Handle() else { throw .badRequest("out of memory") }
    self.handle = Locked(handle)
    self.trust = trust
    authorization = key.map { [("Authorization", "Bearer \($0)")] } ?? []
  }

  /// Whether a text is a URL that a client can be made for.
  public static func isURL(_ text: String) -> Bool { (try? parts(of: text)) != nil }

  /// The server and the path of a URL, both without a slash at the end.
  private static func parts(of url: String) throws(HTTPClientError) -> (String, String) {
    guard let parts = curl_url() else { throw .badRequest("out of memory") }
    defer { curl_url_cleanup(parts) }
    func part(_ part: CURLUPart) -> String? {
      var text: UnsafeMutablePointer<CChar>?
      guard curl_url_get(parts, part, &text, 0) == CURLUE_OK, let text else { return nil }
      defer { curl_free(text) }
      return String(cString: text)
    }
    guard curl_url_set(parts, CURLUPART_URL, url, UInt32(CURLU_DISALLOW_USER)) == CURLUE_OK,
      let scheme = part(CURLUPART_SCHEME), let host = part(CURLUPART_HOST),
      let path = part(CURLUPART_PATH), scheme.isSame(as: "http") || scheme.isSame(as: "https"),
      part(CURLUPART_QUERY) == nil, part(CURLUPART_FRAGMENT) == nil
    else { throw .badURL(url) }
    let port = part(CURLUPART_PORT).map { ":\($0)" } ?? ""
    return ("\(scheme)://\(host)\(port)", String(path.withoutSlashes))
  }

  /// Sends a request and waits for the response, for at most about `timeout` seconds of silence; six more after a long body,
  /// as libcurl looks at the mean of that time.
  ///
  /// A GET, HEAD, PUT or DELETE is sent once more if the kept connection turns out to be closed.
  ///
  /// - Throws: ``HTTPClientError`` if the request can't be sent, or no response comes.
  public func send(
    _ method: HTTPMethod, _ path: String, headers: [(name: String, value: String)] = [],
    body: [UInt8] = [], timeout: Int = 30
  ) throws(HTTPClientError) -> HTTPResponse {
    let target = prefix + path
    guard method != .other, method != .connect else {
      throw .badRequest("method \(method) is not supported")
    }
    // A space or line break would end the target early.
    guard target.begins(with: "/"), target.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw .badRequest("'\(target)' is not a path")
    }
    let fields = authorization + headers
    guard fields.allSatisfy({ ($0.name + $0.value).utf8.allSatisfy { $0 >= 0x20 } }) else {
      throw .badRequest("bad header field")
    }
    // libcurl's own type of what is sent, and its question before a long body, are left out.
    var list: UnsafeMutablePointer<curl_slist>?
    defer { curl_slist_free_all(list) }
    let hasType = fields.contains { $0.name.isSameField(as: "Content-Type") }
    let none = hasType ? ["Expect:"] : ["Expect:", "Content-Type:"]
    for line in none + fields.map({ "\($0.name): \($0.value)" }) {
      guard let longer = curl_slist_append(list, line) else { throw .badRequest("out of memory") }
      list = longer
    }
    let result = handle.withLock { handle -> Result<HTTPResponse, HTTPClientError> in
      let answer = Answer()
      let code = body.withUnsafeBytes { body in
        set(handle, method, target, timeout)
        ccurl_set_pointer(handle.curl, CURLOPT_HTTPHEADER, list)
        if !body.isEmpty || [.post, .put, .patch].contains(method) {
          ccurl_set_number(handle.curl, CURLOPT_POST, 1)
          if let bytes = body.baseAddress, !body.isEmpty {
            ccurl_set_number(handle.curl, CURLOPT_POSTFIELDSIZE, body.count)
            ccurl_set_pointer(
              handle.curl, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: bytes))
          } else {
            // Without this, libcurl would read from standard input.
            ccurl_set_text(handle.curl, CURLOPT_COPYPOSTFIELDS, "")
          }
        }
        ccurl_set_text(handle.curl, CURLOPT_CUSTOMREQUEST, method.rawValue)
        let context = Unmanaged.passUnretained(answer).toOpaque()
        ccurl_set_pointer(handle.curl, CURLOPT_HEADERDATA, context)
        ccurl_set_pointer(handle.curl, CURLOPT_WRITEDATA, context)
        return curl_easy_perform(handle.curl)
      }
      guard code == CURLE_OK else { return .failure(failure(code, handle)) }
      return .success(
        HTTPResponse(
          status: ccurl_status(handle.curl), headers: answer.headers, body: answer.body))
    }
    return try result.get()
  }

  /// Sets what doesn't depend on the body.
  private func set(_ handle: Handle, _ method: HTTPMethod, _ target: String, _ timeout: Int) {
    let curl = handle.curl
    func number(_ option: CURLoption, _ value: Int) { ccurl_set_number(curl, option, value) }
    func text(_ option: CURLoption, _ value: String?) {
      if let value { ccurl_set_text(curl, option, value) }
    }
    curl_easy_reset(curl)
    text(CURLOPT_URL, server + target)
    text(CURLOPT_PROXY, "")
    number(CURLOPT_PATH_AS_IS, 1)
    number(CURLOPT_MAXCONNECTS, 1)
    // A request that may not be sent twice never uses a kept connection, which may turn out to be
    // closed.
    number(CURLOPT_FRESH_CONNECT, [.get, .head, .put, .delete].contains(method) ? 0 : 1)
    number(CURLOPT_NOBODY, method == .head ? 1 : 0)
    let seconds = max(1, min(timeout, 2_000_000))
    number(CURLOPT_CONNECTTIMEOUT, seconds)
    number(CURLOPT_LOW_SPEED_LIMIT, 1)
    number(CURLOPT_LOW_SPEED_TIME, seconds)
    number(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    number(CURLOPT_SSL_VERIFYPEER, trust.verifies ? 1 : 0)
    number(CURLOPT_SSL_VERIFYHOST, trust.verifies ? 2 : 0)
    text(CURLOPT_CAINFO, trust.authorities)
    text(CURLOPT_SSLCERT, trust.certificate?.file)
    text(CURLOPT_SSLKEY, trust.certificate?.key)
    // A key with a password can't be read, rather than asked for on a terminal.
    text(CURLOPT_KEYPASSWD, "")
    handle.error[0] = 0
    ccurl_set_pointer(curl, CURLOPT_ERRORBUFFER, handle.error)
    ccurl_set_taker(curl, CURLOPT_HEADERFUNCTION) { Answer.take($0, $1 * $2, $3) { $0.line($1) } }
    ccurl_set_taker(curl, CURLOPT_WRITEFUNCTION) {
      Answer.take($0, $1 * $2, $3) { $0.body.append(contentsOf: $1) }
    }
  }

  private func failure(_ code: CURLcode, _ handle: Handle) -> HTTPClientError {
    let words = String(cString: handle.error)
    let reason = words.isEmpty ? String(cString: curl_easy_strerror(code)) : words
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT: return .unreachable(server)
    case CURLE_OPERATION_TIMEDOUT: return .timeout(server)
    case CURLE_OUT_OF_MEMORY: return .badRequest("out of memory")
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CACERT_BADFILE:
      return .insecure(server, reason: reason)
    // With TLS 1.3 a server's refusal of the client's certificate comes after the handshake.
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR:
      return reason.holds("alert") ? .insecure(server, reason: reason) : .broken(server)
    default: return .broken(server)
    }
  }

  /// A response as it comes.
  private final class Answer {
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []

    /// Takes in a line of the head. Each status line begins a head, of which the last one counts.
    func line(_ bytes: UnsafeRawBufferPointer) {
      let line = String(decoding: bytes.prefix { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self)
      if line.begins(with: "HTTP/") { headers = [] }
      if case (let name, let value?) = line.cut(at: UInt8(ascii: ":")) {
        headers.append((String(name), String(value.trimmed)))
      }
    }

    /// Calls `body` with what libcurl's callbacks are called with.
    static func take(
      _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
      _ body: (Answer, UnsafeRawBufferPointer) -> Void
    ) -> Int {
      guard let context else { return 0 }
      let answer = Unmanaged<Answer>.fromOpaque(context).takeUnretainedValue()
      body(answer, UnsafeRawBufferPointer(start: bytes, count: count))
      return count
    }
  }
}

/// The reason why a request got no response.
public enum HTTPClientError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The URL is not `http://host[:port][/path]` or `https://host[:port][/path]`.
  case badURL(String)
  /// The method, path or a header field cannot be sent.
  case badRequest(String)
  /// The server cannot be reached.
  case unreachable(String)
  /// The server did not answer in time.
  case timeout(String)
  /// TLS failed, as the server isn't trusted or refuses the client.
  case insecure(String, reason: String)
  /// The connection was lost, or the response is not HTTP.
  case broken(String)

  /// One line for the operator.
  public var description: String {
    switch self {
    case .badURL(let url):
      "'\(url)' is not a URL of the form http://host[:port] or https://host[:port]"
    case .badRequest(let why): "cannot send the request: \(why)"
    case .unreachable(let server): "cannot connect to \(server)"
    case .timeout(let server): "\(server) did not answer in time"
    case .insecure(let server, let reason): "cannot connect to \(server) by TLS: \(reason)"
    case .broken(let server): "\(server) closed the connection without an answer"
    }
  }
}
