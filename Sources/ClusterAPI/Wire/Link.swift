import GeoFormats
import HTTPServer

/// A link of an answer to another resource, or to itself.
struct Link: Sendable {
  /// The whole URL.
  var href: String
  /// The relation by its IANA or OGC name.
  var relation: String
  var type: MediaType
  /// A name for people.
  var title: String
  /// Whether the URL has parts in braces that stand for something.
  var isTemplate: Bool

  /// Relations that the OGC names.
  static let conformance = "http://www.opengis.net/def/rel/ogc/1.0/conformance"
  static let queryables = "http://www.opengis.net/def/rel/ogc/1.0/queryables"
  static let schema = "http://www.opengis.net/def/rel/ogc/1.0/schema"
  static let vectorTiles = "http://www.opengis.net/def/rel/ogc/1.0/tilesets-vector"
  static let matrixSets = "http://www.opengis.net/def/rel/ogc/1.0/tiling-schemes"

  init(
    _ href: String, _ relation: String, _ type: MediaType, _ title: String, isTemplate: Bool = false
  ) {
    (self.href, self.relation, self.type, self.title) = (href, relation, type, title)
    self.isTemplate = isTemplate
  }

  /// The longest value of a field Link, in bytes: proxies refuse long headers.
  private static let longestField = 2048

  /// Links as the value of a field Link (RFC 8288); nil if that would be too long for proxies.
  static func field(_ links: [Link]) -> String? {
    guard !links.isEmpty, links.count <= longestField / 16 else { return nil }
    // Put together by bytes, because most answers about single features and annotations carry one.
    var text: [UInt8] = []
    text.reserveCapacity(links.reduce(0) { $0 + $1.href.utf8.count + 128 })
    for link in links {
      if !text.isEmpty { text += ", ".utf8 }
      text += "<".utf8
      text += link.href.utf8
      text += ">; rel=\"".utf8
      text += link.relation.utf8
      text += "\"; type=\"".utf8
      text += link.type.rawValue.utf8
      text += "\"".utf8
    }
    return text.count <= longestField ? String(decoding: text, as: UTF8.self) : nil
  }
}

extension HTTPResponse {
  /// Adds links to the header. Returns whether there was room for them.
  @discardableResult mutating func add(_ links: [Link]) -> Bool {
    guard let field = Link.field(links) else { return links.isEmpty }
    headers.append(("Link", field))
    return true
  }
}

extension JSONWriter {
  /// Writes the member `links`.
  mutating func links(_ links: [Link]) {
    key("links")
    array(of: links)
  }

  /// Writes links as an array.
  mutating func array(of links: [Link]) {
    array { json in
      for link in links {
        json.object { json in
          json.member("href", link.href)
          json.member("rel", link.relation)
          json.member("type", link.type.rawValue)
          json.member("title", link.title)
          if link.isTemplate { json.member("templated", true) }
        }
      }
    }
  }
}
