import Foundation

/// The query of a URL.
struct Query: Sendable {
  var items: [(name: String, value: String)] = []

  init(_ items: KeyValuePairs<String, String?> = [:]) {
    for (name, value) in items { if let value { self.items.append((name, value)) } }
  }

  /// The fields of a viewport request as a query has them: lists separated by commas, objects as JSON text.
  init(_ request: ViewRequest) throws {
    let data = try JSONEncoder().encode(request)
    guard case .object(let fields) = try JSONDecoder().decode(JSONValue.self, from: data) else {
      return
    }
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      if name == "filter", case .object = value, fields["filter-lang"] == nil {
        items.append(("filter-lang", "cql2-json"))
      }
      items.append((name, try Query.text(name, value)))
    }
  }

  private static func text(_ name: String, _ value: JSONValue) throws -> String {
    switch (name, value) {
    case ("visibleMapRect", _):
      return try ["x", "y", "width", "height"].map { try scalar(value[$0]) }.joined(separator: ",")
    case ("region", _):
      let (center, span) = (value["center"], value["span"])
      return try [
        center?["latitude"], center?["longitude"], span?["latitudeDelta"], span?["longitudeDelta"],
      ].map(scalar).joined(separator: ",")
    case (_, .array(let elements)) where name != "previous":
      return try list(name, elements.map(scalar))
    default: return try scalar(value)
    }
  }

  /// Texts with commas between them.
  ///
  /// - Throws: `EncodingError.invalidValue` if one has a comma, so that it would be several.
  static func list(_ name: String, _ texts: [String]) throws -> String {
    if let torn = texts.first(where: { $0.contains(",") }) {
      throw EncodingError.invalidValue(
        torn,
        .init(
          codingPath: [],
          debugDescription: "\(name) can't list it in a query, which has commas between items"))
    }
    return texts.joined(separator: ",")
  }

  private static func scalar(_ value: JSONValue?) throws -> String {
    if case .string(let text)? = value { return text }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return String(decoding: try encoder.encode(value ?? .null), as: UTF8.self)
  }

  /// The query without its question mark.
  var text: String {
    items.map { "\(Query.escaped($0.name))=\(Query.escaped($0.value))" }.joined(separator: "&")
  }

  /// Text in which all is percent-encoded but what no part of a URL gives a meaning.
  static func escaped(_ text: String) -> String {
    let plain = CharacterSet(
      charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
  }
}
