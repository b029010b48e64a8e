import Texts

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
    let (scheme, behind) = url.cut(at: UInt8(ascii: ":"))
    isSecure = scheme.isSameField(as: "https")
    guard isSecure || scheme.isSameField(as: "http"), let rest = behind?.after("//") else {
      throw .badURL(url)
    }
    port = isSecure ? 443 : 80
    let head = rest.cut(at: UInt8(ascii: "/")).0
    let path = rest[head.endIndex...].withoutSlashes
    guard !path.utf8.contains(where: { "?# ".utf8.contains($0) }) else { throw .badURL(url) }
    prefix = String(path)
    authority = String(head)

    var name = head.utf8
    // The last colon begins the port, unless it is inside an IPv6 address in brackets.
    if let colon = name.lastIndex(of: UInt8(ascii: ":")),
      !name[colon...].contains(UInt8(ascii: "]"))
    {
      guard let number = UInt16(Substring(name[colon...].dropFirst())) else { throw .badURL(url) }
      port = number
      name = name[..<colon]
    }
    if name.first == UInt8(ascii: "["), name.last == UInt8(ascii: "]") {
      name = name.dropFirst().dropLast()
    }
    let isName = name.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"@?#".utf8.contains($0) }
    guard !name.isEmpty, isName else { throw .badURL(url) }
    host = String(Substring(name))
  }
}
