import HTTPServer
import Texts

/// The address at which clients reach the service, and theirs, by the configuration and a request.
public struct ServiceAddress: Sendable {
  /// The URL under which clients know the service, without a slash at its end; nil if requests tell.
  private let publicURL: String?
  /// Whether header fields of a proxy count.
  let trustsProxy: Bool
  /// Whether the service itself speaks HTTPS.
  private let isSecure: Bool

  /// The values in a proxy's header fields; nil for missing or invalid ones.
  private struct Forwarded {
    var scheme: String?
    var authority: String?
    var prefix: String?
    var client: UInt64?
  }

  /// Creates an address.
  ///
  /// - Parameters:
  ///   - publicURL: the URL under which clients know the service; nil if requests tell.
  ///   - trustsProxy: whether all requests come through a proxy that sets `X-Forwarded-…` or `Forwarded`.
  ///   - isSecure: whether the service itself speaks HTTPS.
  /// - Returns: nil unless the URL is `http://` or `https://`, an authority and perhaps a path.
  public init?(publicURL: String? = nil, trustsProxy: Bool = false, isSecure: Bool = false) {
    (self.trustsProxy, self.isSecure) = (trustsProxy, isSecure)
    guard let publicURL else {
      self.publicURL = nil
      return
    }
    let (name, behind) = publicURL.cut(at: UInt8(ascii: ":"))
    guard let scheme = ServiceAddress.scheme(name), let rest = behind?.after("//") else {
      return nil
    }
    let authority = rest.cut(at: UInt8(ascii: "/")).0
    guard ServiceAddress.isAuthority(authority),
      let prefix = ServiceAddress.prefix(rest[authority.endIndex...])
    else { return nil }
    self.publicURL = "\(scheme)://\(authority)\(prefix)"
  }

  private init() { (publicURL, trustsProxy, isSecure) = (nil, false, false) }

  /// The address that requests tell, from the field Host alone.
  public static let ofRequests = ServiceAddress()

  /// The URL to which the path of a resource is appended for a link. It is empty if nothing tells a valid one,
  /// so that links are relative to the server.
  func base(of request: HTTPRequest) -> String {
    if let publicURL { return publicURL }
    let forwarded = trustsProxy ? ServiceAddress.forwarded(request.headers) : Forwarded()
    let host = request.headers["Host"].flatMap { ServiceAddress.isAuthority($0) ? $0 : nil }
    let prefix = forwarded.prefix ?? ""
    guard let authority = forwarded.authority ?? host else { return prefix }
    return "\(forwarded.scheme ?? (isSecure ? "https" : "http"))://\(authority)\(prefix)"
  }

  /// Whether a page that came by plain HTTP from a host can be the service's own. If clients reach the service by HTTPS, such a
  /// page may come from an attacker on the network.
  func hasPlainPages(from host: String, _ request: HTTPRequest) -> Bool {
    if let publicURL, publicURL.begins(with: "https:"), isPublic(host) { return false }
    let forwarded = trustsProxy ? ServiceAddress.forwarded(request.headers).scheme : nil
    return (forwarded ?? (isSecure ? "https" : "http")) == "http"
  }

  /// Whether a host, perhaps with a port, is the one by which clients of a request know the service, as far as the
  /// configuration or a proxy says.
  func isNamed(_ host: String, by request: HTTPRequest) -> Bool {
    if isPublic(host) { return true }
    guard trustsProxy else { return false }
    let authority = ServiceAddress.forwarded(request.headers).authority
    return (authority ?? request.headers["Host"] ?? "").isSameField(as: host)
  }

  private func isPublic(_ host: String) -> Bool {
    publicURL?.parts(separatedBy: UInt8(ascii: "/"))[2].isSameField(as: host) == true
  }

  /// The number that stands for the client's address; see ``HTTPRequest/client``.
  func client(of request: HTTPRequest) -> UInt64 {
    guard trustsProxy else { return request.client }
    return ServiceAddress.forwarded(request.headers).client ?? request.client
  }

  // MARK: Fields of proxies

  /// The values of the nearest proxy: the last element of each list, as each proxy appends its own. `Forwarded`
  /// counts only where there is no field of the other kind, which more proxies set, and which therefore fewer
  /// pass on from a client.
  private static func forwarded(_ headers: HTTPHeaders) -> Forwarded {
    let (clients, scheme, authority, prefix) = (
      headers["X-Forwarded-For"], headers["X-Forwarded-Proto"], headers["X-Forwarded-Host"],
      headers["X-Forwarded-Prefix"]
    )
    guard clients ?? scheme ?? authority ?? prefix == nil else {
      func last(_ list: String?) -> Substring? {
        list.map { list in
          let comma = list.utf8.lastIndex(of: UInt8(ascii: ","))
          return list[(comma.map { list.utf8.index(after: $0) } ?? list.startIndex)...].trimmed
        }
      }
      return Forwarded(
        scheme: last(scheme).flatMap(ServiceAddress.scheme),
        authority: last(authority).flatMap { isAuthority($0) ? String($0) : nil },
        prefix: last(prefix).flatMap(ServiceAddress.prefix),
        client: last(clients).flatMap(ClientAddress.number))
    }
    return headers["Forwarded"].map(lastElement) ?? Forwarded()
  }

  /// The last element of a field `Forwarded` (RFC 7239, section 4). Linear.
  private static func lastElement(_ field: String) -> Forwarded {
    var found = Forwarded()
    var (name, value): ([UInt8], [UInt8]) = ([], [])
    var (isValue, isQuoted, isEscaped) = (false, false, false)
    func endPair() {
      let text = String(decoding: value, as: UTF8.self).trimmed
      let pair = String(decoding: name, as: UTF8.self).trimmed
      if pair.isSameField(as: "proto") {
        found.scheme = scheme(text)
      } else if pair.isSameField(as: "host") {
        found.authority = isAuthority(text) ? String(text) : nil
      } else if pair.isSameField(as: "for") {
        found.client = ClientAddress.number(of: text)
      }
      name.removeAll(keepingCapacity: true)
      value.removeAll(keepingCapacity: true)
      isValue = false
    }
    for byte in field.utf8 {
      switch byte {
      case _ where isEscaped:
        value.append(byte)
        isEscaped = false
      case UInt8(ascii: "\\") where isQuoted: isEscaped = true
      case UInt8(ascii: "\"") where isValue: isQuoted.toggle()
      case _ where isQuoted: value.append(byte)
      case UInt8(ascii: ";"): endPair()
      case UInt8(ascii: ","):
        endPair()
        found = Forwarded()
      case UInt8(ascii: "=") where !isValue: isValue = true
      case _ where isValue: value.append(byte)
      default: name.append(byte)
      }
    }
    endPair()
    return found
  }

  // MARK: Authorities in links

  private static func scheme(_ text: some StringProtocol) -> String? {
    ["http", "https"].first { text.isSameField(as: $0) }
  }

  /// Whether text is a host name or an address, perhaps with a port, and so nothing that means more in a link.
  static func isAuthority(_ text: some StringProtocol) -> Bool {
    guard text.utf8.count <= 261 else { return false }
    if isNameAndPort(text) { return true }
    // The only other form is an address of IPv6 in brackets.
    var host = Substring(text).utf8
    if let end = host.lastIndex(of: UInt8(ascii: "]")), host[end...].count > 1 {
      let port = host[end...].dropFirst(2)
      guard host[end...].dropFirst().first == UInt8(ascii: ":"),
        port.allSatisfy({ $0.isDigit }), UInt16(Substring(port)) != nil
      else { return false }
      host = host[...end]
    }
    guard host.count > 2, host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") else {
      return false
    }
    return host.dropFirst().dropLast().allSatisfy {
      $0.hexadecimalValue != nil || $0 == UInt8(ascii: ":") || $0 == 0x2E
    } && ClientAddress.number(of: Substring(host)) != nil
  }

  /// Whether text is a host name or an IPv4 address, perhaps with a port. Nearly all are, and each answer with
  /// links asks.
  private static func isNameAndPort(_ text: some StringProtocol) -> Bool {
    var (isEmpty, port, digits) = (true, 0, -1)
    for byte in text.utf8 {
      switch byte {
      case _ where digits >= 0 && byte.isDigit:
        digits += 1
        guard digits <= 5 else { return false }
        port = port * 10 + Int(byte - UInt8(ascii: "0"))
      case UInt8(ascii: ":") where digits < 0: digits = 0
      case _ where digits < 0 && PercentCoding.isUnreserved(byte) && byte != UInt8(ascii: "~"):
        isEmpty = false
      default: return false
      }
    }
    return !isEmpty && digits != 0 && port <= UInt16.max
  }

  /// A path without the slash at its end; nil if it isn't one of plain segments.
  private static func prefix(_ text: some StringProtocol) -> String? {
    guard text.utf8.count <= 1024 else { return nil }
    let path = text.withoutSlashes
    let isPath =
      path.isEmpty
      || path.begins(with: "/") && !path.holds("//")
        && path.utf8.allSatisfy { PercentCoding.isUnreserved($0) || $0 == UInt8(ascii: "/") }
    return isPath ? String(path) : nil
  }
}
