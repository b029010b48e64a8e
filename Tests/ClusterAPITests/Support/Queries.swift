import TestSupport

extension TwinRequest {
  /// The request as a query: the same names as in the body, lists comma-separated.
  var query: String {
    (json.members ?? []).map { member in
      let text: String =
        switch member.value {
        case .array(let elements): elements.map { $0.string ?? $0.text }.joined(separator: ",")
        case .object: TwinRequest.numbers(in: member.value).joined(separator: ",")
        case .string(let text): text
        default: member.value.text
        }
      return "\(member.key)=\(percentEncoded(text))"
    }.joined(separator: "&")
  }

  /// The numbers of an object in their order, at every depth.
  private static func numbers(in value: TestJSON) -> [String] {
    value.members?.flatMap { numbers(in: $0.value) } ?? [value.text]
  }
}

extension TwinRefusal {
  /// The pointers that the service may name for it, in a body.
  var pointers: Set<String> {
    switch self {
    case .impossibleRect: ["/bbox", "/region", "/visibleMapRect"]
    case .zoomOutOfRange: ["/zoom", "/viewportWidth"]
    case .tooManyCells: ["/cellSize", "/debug"]
    case .overLimit: ["/limit"]
    }
  }
}
