import HTTPServer
import Texts

/// The requests that browsers may make on behalf of web sites. Other clients send none of the fields that it looks
/// at, and are let through.
public struct OriginPolicy: Sendable {
  /// The origins whose pages may read and write.
  private enum Origins: Equatable {
    /// Any may read, none but the service's own may write.
    case readers
    /// These, and none else.
    case listed(Set<ExactText>)
    case all
  }

  private let origins: Origins
  /// Whether only names that nobody can point elsewhere are taken for the service's.
  private let isLocal: Bool

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - origins: the origins whose pages may read and write, such as `https://maps.example`, separated by commas,
  ///     or `*` for all; nil if all may read and none may write.
  ///   - isLocal: whether the service is for clients on its own machine only. Then a request for a name that
  ///     belongs to somebody is refused: it is from a page whose name was made to lead here.
  /// - Returns: nil if the list is empty, or something in it isn't an origin.
  public init?(origins: String? = nil, isLocal: Bool = false) {
    self.isLocal = isLocal
    guard let origins else {
      self.origins = .readers
      return
    }
    let names = origins.parts(separatedBy: UInt8(ascii: ",")).map(\.trimmed.lowercasedASCII)
    if origins.trimmed.isSame(as: "*") {
      self.origins = .all
    } else {
      guard names.allSatisfy({ OriginPolicy.authority($0) != nil }) else { return nil }
      self.origins = .listed(Set(names.map { ExactText($0) }))
    }
  }

  private init() { (origins, isLocal) = (.readers, false) }

  /// Any origin may read, and none but the service's own may write.
  public static let usual = OriginPolicy()

  // MARK: Requests

  /// Refuses requests that a page may not make.
  ///
  /// - Parameters:
  ///   - address: tells under which name clients know the service.
  ///   - writes: whether a request changes what is stored.
  /// - Throws: ``Problem`` 403.
  func check(
    _ request: HTTPRequest, _ address: ServiceAddress, writes: (HTTPRequest) -> Bool
  ) throws(Problem) {
    if isLocal, let host = request.headers["Host"], !OriginPolicy.isLocalName(host),
      !address.isNamed(host, by: request)
    {
      throw Problem(
        403,
        "Host names another server than this machine, where alone the service listens; --public-url or "
          + "--trust-proxy tells it of another name")
    }
    guard origins != .all, writes(request) else { return }
    // Browsers let no page set this field. "none" is a request by the user's own action.
    let site = request.headers["Sec-Fetch-Site"]
    if site == "same-origin" || site == "none" { return }
    if let origin = OriginPolicy.origin(of: request) {
      if isListed(origin) || isOwn(origin, request, address) { return }
    } else if site == nil {
      return
    }
    throw Problem(
      403, "pages of this origin may not write here; --cors-origin lists those that may")
  }

  /// The origin of a request; nil without one. One that is too long, or not of ASCII, counts as `null`.
  private static func origin(of request: HTTPRequest) -> String? {
    request.headers["Origin"].map { origin in
      origin.utf8.count <= longest && origin.utf8.allSatisfy { $0 < 0x80 } ? origin : "null"
    }
  }

  /// The longest origin: `https://`, the longest name, a port.
  private static let longest = 300

  private func isListed(_ origin: String) -> Bool {
    switch origins {
    case .all: true
    case .listed(let names): names.contains(ExactText(origin.lowercasedASCII))
    case .readers: false
    }
  }

  private func isOwn(_ origin: String, _ request: HTTPRequest, _ address: ServiceAddress) -> Bool {
    let origin = origin.lowercasedASCII
    guard let authority = OriginPolicy.authority(origin) else { return false }
    if origin.begins(with: "http://"), !address.hasPlainPages(from: authority, request) {
      return false
    }
    return address.isNamed(authority, by: request)
      || request.headers["Host"]?.isSameField(as: authority) == true
  }

  /// The host and port of an origin; nil for what isn't one, such as `null`.
  private static func authority(_ origin: String) -> String? {
    guard let authority = origin.after("http://") ?? origin.after("https://") else { return nil }
    return ServiceAddress.isAuthority(authority) ? String(authority) : nil
  }

  /// Whether a host is an address, `localhost` or a name without a dot, which nobody can register.
  private static func isLocalName(_ host: String) -> Bool {
    guard ServiceAddress.isAuthority(host) else { return false }
    if ClientAddress.number(of: host) != nil { return true }
    let labels = host.cut(at: UInt8(ascii: ":")).0.parts(separatedBy: UInt8(ascii: "."))
    // A dot at the end is that of the root of all names.
    let names = labels.last?.isEmpty == true ? labels.dropLast() : labels[...]
    return names.count == 1 || names.last?.isSameField(as: "localhost") == true
  }

  // MARK: Answers

  /// Sets the fields that tell a browser which pages may see an answer that is open to all, and the requests that
  /// they may make.
  func apply(to response: inout HTTPResponse, for request: HTTPRequest) {
    guard case .listed = origins else { return }
    response.headers.removeAll { $0.name == CrossOrigin.name }
    if let origin = OriginPolicy.origin(of: request), isListed(origin) {
      response.headers.append((CrossOrigin.name, origin))
    }
    response.headers.append(("Vary", "Origin"))
  }

  /// The methods, as the field Allow names them, that pages of a request's origin may use.
  ///
  /// - Parameter writes: whether a request changes what is stored.
  func methods(
    _ allowed: String, for request: HTTPRequest, writes: (HTTPRequest) -> Bool
  ) -> String {
    guard origins == .readers, let origin = OriginPolicy.origin(of: request),
      !isOwn(origin, request, .ofRequests)
    else { return allowed }
    var request = request
    return allowed.parts(separatedBy: UInt8(ascii: ",")).map { String($0.trimmed) }.filter {
      request.method = HTTPMethod(rawValue: $0) ?? .other
      return !writes(request)
    }.joined(separator: ", ")
  }
}
