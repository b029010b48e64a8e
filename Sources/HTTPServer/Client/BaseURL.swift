/// The parts of `http://host[:port][/prefix]`, or of the same with https.
struct BaseURL {
  var host: String
  var port: UInt16
  /// Whether it is https.
  var isSecure: Bool
  /// Host and port as in the Host field.
  var authority: String
  /// The path without a trailing slash.
  var prefix: String

  init(_ url: String) throws(HTTPClientError) {
    let lowercased = url.lowercased()
    isSecure = lowercased.hasPrefix("https://")
    guard isSecure || lowercased.hasPrefix("http://") else { throw .badURL(url) }
    port = isSecure ? 443 : 80
    let rest = url.dropFirst(isSecure ? "https://".count : "http://".count)
    let head = rest.prefix { $0 != "/" }
    var path = rest.dropFirst(head.count)
    while path.last == "/" { path = path.dropLast() }
    guard !path.contains(where: { $0 == "?" || $0 == "#" || $0 == " " }) else { throw .badURL(url) }
    prefix = String(path)
    authority = String(head)

    var name = head
    // The last colon begins the port, unless it is inside an IPv6 address in brackets.
    if let colon = head.lastIndex(of: ":"), !head[colon...].contains("]") {
      guard let number = UInt16(head[head.index(after: colon)...]) else { throw .badURL(url) }
      port = number
      name = head[..<colon]
    }
    if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
    let isName = name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"@?#".utf8.contains($0) }
    guard !name.isEmpty, isName else { throw .badURL(url) }
    host = String(name)
  }
}
