import HTTPServer
import Texts

/// A page for people. Everything that is added is escaped, so that nothing that clients have stored is more than
/// text in it.
struct HTMLPage {
  private var body: String
  private let title: String

  /// A page with links to the pages above it, outermost first.
  init(_ title: String, description: String? = nil, above: [Link] = []) {
    self.title = title
    body = ""
    if !above.isEmpty {
      body += "<p>" + above.map { HTMLPage.anchor($0.href, $0.title) + " / " }.joined() + "</p>"
    }
    body += "<h1>\(HTMLPage.escaped(title))</h1>"
    if let description { body += "<p>\(HTMLPage.escaped(description))</p>" }
  }

  /// A cell of a table: text, or a link.
  enum Cell {
    case text(String)
    case link(String, String)

    fileprivate var html: String {
      switch self {
      case .text(let text): HTMLPage.escaped(text)
      case .link(let href, let text): HTMLPage.anchor(href, text)
      }
    }
  }

  /// Adds a table. The cells of a column are separated lists of texts and links.
  mutating func add(rows: [[[Cell]]]) {
    body += "<table>"
    for row in rows {
      body += "<tr>"
      for cells in row { body += "<td>\(cells.map(\.html).joined(separator: " "))</td>" }
      body += "</tr>"
    }
    body += "</table>"
  }

  /// Adds a paragraph.
  mutating func add(paragraph cells: [Cell]) {
    body += "<p>\(cells.map(\.html).joined(separator: " "))</p>"
  }

  /// Adds a list of links.
  mutating func add(_ links: [Link]) {
    let items = links.map { "<li>\(HTMLPage.anchor($0.href, $0.title))</li>" }
    body += "<ul>\(items.joined())</ul>"
  }

  /// Adds a map of points: x to the east and y to the north, in degrees.
  mutating func add(map points: [(x: Double, y: Double)]) {
    guard let first = points.first else { return }
    var (west, east, south, north) = (first.x, first.x, first.y, first.y)
    for point in points {
      (west, east) = (min(west, point.x), max(east, point.x))
      (south, north) = (min(south, point.y), max(north, point.y))
    }
    let size = max(east - west, north - south, 0.01)
    // A tenth of a unit is less than a pixel.
    let places = points.map { point in
      let x = ((point.x - west) / size * 10_000).rounded() / 10
      let y = ((north - point.y) / size * 10_000).rounded() / 10
      return "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"8\"/>"
    }
    let (width, height) = ((east - west) / size * 1000, (north - south) / size * 1000)
    body += """
      <svg role="img" aria-label="The features of this page" viewBox="-20 -20 \(width + 40) \(height + 40)">\
      \(places.joined())</svg>
      """
  }

  /// The response. Nothing but styles and pictures of its own can be loaded into the page, and it sends nothing anywhere.
  ///
  /// - Parameters:
  ///   - base: the URL of the service.
  ///   - links: those of the header.
  func response(_ base: String, etag: String? = nil, links: [Link] = []) -> HTTPResponse {
    let text = """
      <!doctype html><html lang="en"><head><meta charset="utf-8"><title>\(HTMLPage.escaped(title))</title>
      <meta name="viewport" content="width=device-width">
      <link rel="icon" href="\(HTMLPage.escaped(base))/favicon.ico" type="image/svg+xml"><style>\
      body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:3rem auto;padding:0 1rem}\
      td{padding:.2rem 1rem .2rem 0;vertical-align:top;overflow-wrap:anywhere}\
      svg{width:100%;max-height:30rem;background:#f0f4fa}circle{fill:#1a56db}</style></head>
      <body>\(body)</body></html>
      """
    var response = HTTPResponse(
      status: 200,
      headers: [
        ("Content-Type", "text/html; charset=utf-8"),
        (
          "Content-Security-Policy",
          "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
      ], body: Array(text.utf8), etag: etag)
    response.add(links)
    return response
  }

  private static func anchor(_ href: String, _ text: String) -> String {
    "<a href=\"\(escaped(href))\">\(escaped(text))</a>"
  }

  /// Text as it stands in an element or in quotes. By bytes: whatever stands beside a `<`, browsers see it. Code points that no
  /// page may have are U+FFFD.
  static func escaped(_ text: String) -> String {
    var text = text
    if !text.unicodeScalars.allSatisfy(isAllowed) {
      let allowed = text.unicodeScalars.map { isAllowed($0) ? $0 : "\u{FFFD}" }
      text = String(String.UnicodeScalarView(allowed))
    }
    guard text.utf8.contains(where: { "&<>\"'".utf8.contains($0) }) else { return text }
    return text.escaped { byte in
      switch byte {
      case UInt8(ascii: "&"): "&amp;"
      case UInt8(ascii: "<"): "&lt;"
      case UInt8(ascii: ">"): "&gt;"
      case UInt8(ascii: "\""): "&quot;"
      case UInt8(ascii: "'"): "&#39;"
      default: nil
      }
    }
  }

  /// Whether a code point is neither a control character other than white space nor one that is for nothing.
  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20...0x7E, 0x09, 0x0A, 0x0C, 0x0D: true
    case 0..<0xA0, 0xFDD0...0xFDEF: false
    default: scalar.value & 0xFFFE != 0xFFFE
    }
  }
}
