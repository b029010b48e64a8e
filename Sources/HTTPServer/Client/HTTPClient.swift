import CEvHTTP
import Texts
import Threading

/// A small blocking HTTP/1.1 client that keeps its connection for the next request.
public final class HTTPClient: Sendable {
  /// The owner of the C client.
  ///
  /// `@unchecked Sendable`: it is used only under the lock.
  private final class Handle: @unchecked Sendable {
    let pointer: OpaquePointer

    init?(host: String, port: UInt16, tls: TLSContext?) {
      guard let pointer = ceh_client_new(host, port, tls?.pointer) else { return nil }
      self.pointer = pointer
    }

    deinit { ceh_client_free(pointer) }
  }

  private let handle: Locked<Handle>
  private let server: String
  private let prefix: String
  private let hostField: String
  /// The field Authorization, if there is one.
  private let authorization: String?

  /// Creates a client for `http://host[:port][/prefix]`, or the same with https. The prefix goes before every path.
  ///
  /// - Parameters:
  ///   - tls: the trusted authorities for https; nil for those of the system.
  ///   - key: the key or token to send.
  /// - Throws: ``HTTPClientError/badURL(_:)``.
  public init(url: String, tls: TLSContext? = nil, key: String? = nil) throws(HTTPClientError) {
    authorization = key.map { "Bearer \($0)" }
    let base = try BaseURL(url)
    server = "\(base.isSecure ? "https" : "http")://\(base.authority)"
    var context = base.isSecure ? tls : nil
    if base.isSecure && context == nil {
      do throws(TLSFileError) {
        context = try TLSContext.client()
      } catch {
        throw .insecure(server, reason: error.reason)
      }
    }
    guard let handle = Handle(host: base.host, port: base.port, tls: context) else {
      throw .badRequest("out of memory")
    }
    self.handle = Locked(handle)
    prefix = base.prefix
    hostField = base.authority
  }

  /// Sends a request and waits for the response, for at most `timeout` seconds of silence.
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
    let result = handle.withLock { handle -> Result<HTTPResponse, HTTPClientError> in
      let repeatable = [.get, .head, .put, .delete].contains(method)
      var attempts = 0
      while true {
        attempts += 1
        guard add(headers, to: handle) else { return .failure(.badRequest("bad header field")) }
        let milliseconds = Int32(clamping: max(1, min(timeout, 2_000_000)) * 1000)
        let outcome = body.withUnsafeBytes {
          ceh_client_send(
            handle.pointer, method.number, target, $0.baseAddress, $0.count, milliseconds)
        }
        switch outcome {
        case CEH_SENT: return .success(answer(of: handle))
        case CEH_BROKEN where attempts == 1 && repeatable: continue
        case CEH_UNREACHABLE: return .failure(.unreachable(server))
        case CEH_TIMEOUT: return .failure(.timeout(server))
        case CEH_INSECURE:
          let reason = ceh_client_error(handle.pointer).map { String(cString: $0) }
          return .failure(.insecure(server, reason: reason ?? "the handshake failed"))
        case CEH_NO_MEMORY: return .failure(.badRequest("out of memory"))
        default: return .failure(.broken(server))
        }
      }
    }
    return try result.get()
  }

  private func add(_ headers: [(name: String, value: String)], to handle: Handle) -> Bool {
    ceh_client_add_header(handle.pointer, "Host", hostField)
      && authorization.map { ceh_client_add_header(handle.pointer, "Authorization", $0) } ?? true
      && headers.allSatisfy { ceh_client_add_header(handle.pointer, $0.name, $0.value) }
  }

  private func answer(of handle: Handle) -> HTTPResponse {
    let pointer = handle.pointer
    let headers = HTTPHeaders(size: ceh_client_headers_size(pointer)) {
      ceh_client_headers_copy(pointer, $0)
    }
    let body = [UInt8].ofSize(ceh_client_body_size(pointer)) { ceh_client_body_copy(pointer, $0) }
    return HTTPResponse(
      status: Int(ceh_client_status(pointer)), headers: headers.fields, body: body)
  }
}
