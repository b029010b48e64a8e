extension TwinRequest {
  /// The request as the query of a GET: the body's names, lists and rects comma-separated.
  public var query: String {
    TwinRequest.query(json)
  }

  /// The members of a request's body as a query.
  public static func query(_ body: TestJSON) -> String {
    (body.members ?? []).map { member in
      // Objects go as JSON text, but for the rects, which are lists.
      let isText = ["groups", "aggregate", "previous"].contains(member.key)
      let text = isText ? percentEncoded(member.value.text) : queryText(member.value)
      return "\(member.key)=\(text)"
    }.joined(separator: "&")
  }

  /// A value as it goes into a query; the members of an object in their order.
  private static func queryText(_ value: TestJSON) -> String {
    switch value {
    case .array(let elements): elements.map(queryText).joined(separator: ",")
    case .object(let members): members.map { queryText($0.value) }.joined(separator: ",")
    case .string(let text): percentEncoded(text)
    default: percentEncoded(value.text)
    }
  }

  /// Text with all but unreserved characters escaped (RFC 3986).
  public static func percentEncoded(_ text: String) -> String {
    var out = ""
    for byte in text.utf8 {
      let character = Unicode.Scalar(byte)
      if byte < 0x80, character.properties.isAlphabetic || "0123456789-._~".utf8.contains(byte) {
        out.unicodeScalars.append(character)
      } else {
        let hex = String(byte, radix: 16, uppercase: true)
        out += "%" + (hex.count < 2 ? "0" : "") + hex
      }
    }
    return out
  }
}
