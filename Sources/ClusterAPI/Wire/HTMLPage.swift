import ClusterCore
import HTTPServer
import Texts

/// A page for people, which looks as the map page does: a head that leads elsewhere, and cards below each other.
struct HTMLPage {
  /// The writer, which adds to the card begun last.
  var html: HTMLWriter

  /// A page with links to the pages above it, outermost first.
  ///
  /// - Parameters:
  ///   - status: the HTTP status, if it is one to be told.
  ///   - base: the beginning of links to other pages; nil for the way to the root.
  ///   - request: the request that the page answers.
  init(
    _ title: String, description: String? = nil, above: [Link] = [], status: Int? = nil,
    base: String?, for request: HTTPRequest
  ) {
    html = HTMLWriter(reserving: 8192)
    let root = HTMLPage.root(of: request)
    let base = base ?? root
    let name = title.isSame(as: "pincluster") ? title : "\(title) · pincluster"
    html.add(
      """
      <!doctype html><html lang="en"><head><meta charset="utf-8"><title>\(name)</title>\
      <meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">\
      <link rel="icon" type="image/svg+xml" href="\(root)/favicon.ico">\
      <link rel="stylesheet" href="\(root)/clients/theme.css"><link rel="stylesheet" href="\(root)/clients/pages.css"></head>\
      <body><a class="skip" href="#main">Skip to the content</a><header class="top"><div class="brand">\
      <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 1a8 8 0 0 0-8 8c0 6 8 14 8 14s8-8 8-14a8 8 0 0 0-8-8z"/>\
      <circle class="hole" cx="12" cy="9" r="3.2"/></svg><a href="\(base)/?f=html">pincluster</a></div>\
      <nav aria-label="Service">
      """)
    for (path, title) in HTMLPage.places {
      html.add("<a href=\"\(base)/\(path)\">\(title)</a> ")
    }
    html.marks("</nav></header><main id=\"main\" tabindex=\"-1\">")
    if !above.isEmpty {
      html.marks("<nav class=\"trail\" aria-label=\"Where this page is\"><ol>")
      for link in above { html.add("<li><a href=\"\(link.href)\">\(link.title)</a></li>") }
      html.add("<li aria-current=\"page\">\(title)</li></ol></nav>")
    }
    html.marks("<section class=\"card\">")
    if let status { html.add("<p class=\"status\">\(status)</p>") }
    html.add("<h1>\(title)</h1>")
    if let description { html.add("<p>\(description)</p>") }
  }

  /// The pages that each page leads to, by their paths.
  private static let places = [
    ("collections?f=html", "Collections"), ("map", "Map"), ("api?f=html", "API"),
  ]

  /// The way from a request's path to the root of the service, without a slash at its end. Links to the parts of a page
  /// begin with it, so that they don't depend on the hosts and schemes that a proxy reports.
  private static func root(of request: HTTPRequest) -> String {
    let slashes = request.path.utf8.count { $0 == UInt8(ascii: "/") }
    // No page is deeper, but the paths of strangers may be.
    let depth = min(slashes - 1, 12)
    return depth > 0 ? Array(repeating: "..", count: depth).joined(separator: "/") : "."
  }

  // MARK: Parts

  /// Begins another card.
  mutating func section(_ heading: String) {
    html.add("</section><section class=\"card\"><h2>\(heading)</h2>")
  }

  /// Adds something to be noted.
  mutating func add(note: String) { html.add("<p class=\"note\" role=\"note\">\(note)</p>") }

  /// Adds actions: links, the most important first.
  mutating func add(actions: [(title: String, href: String)]) {
    html.marks("<ul class=\"actions\">")
    for (number, action) in actions.enumerated() {
      html.marks(number == 0 ? "<li class=\"first\">" : "<li>")
      html.add("<a href=\"\(action.href)\">\(action.title)</a></li>")
    }
    html.marks("</ul>")
  }

  /// Adds figures with their names.
  mutating func add(figures: [(name: String, value: String)]) {
    html.marks("<dl class=\"figures\">")
    for figure in figures {
      html.add("<div><dt>\(figure.name)</dt><dd>\(figure.value)</dd></div>")
    }
    html.marks("</dl>")
  }

  /// Adds a list of links, each address once.
  mutating func add(list links: [(title: String, href: String)]) {
    var seen: Set<ExactText> = []
    html.marks("<ul class=\"list\">")
    for link in links where seen.insert(ExactText(link.href)).inserted {
      html.add("<li><a href=\"\(link.href)\">\(link.title)</a></li>")
    }
    html.marks("</ul>")
  }

  /// Adds links to the previous and next page of a list, if there are any, and the part of the list on this page.
  ///
  /// - Parameter name: the name of the navigation, unique on a page.
  mutating func add(paging text: String, _ name: String, previous: String?, next: String?) {
    guard previous != nil || next != nil else { return html.add("<p>\(text)</p>") }
    html.add("<nav class=\"paging\" aria-label=\"\(name)\">")
    if let previous { html.add("<a href=\"\(previous)\">Previous</a>") }
    html.add("<span>\(text)</span>")
    if let next { html.add("<a href=\"\(next)\">Next</a>") }
    html.marks("</nav>")
  }

  /// Adds a map of places, as on the map page but without a base map; nothing if all are one.
  mutating func add(map places: [Position], _ name: String) {
    guard let first = places.first else { return }
    var (west, east, north, south) = (first.x, first.x, first.y, first.y)
    for place in places {
      (west, east) = (min(west, place.x), max(east, place.x))
      (north, south) = (min(north, place.y), max(south, place.y))
    }
    let size = Int(max(east - west, south - north))
    guard size > 0 else { return }
    // A unit of the picture is less than a pixel.
    func units(_ length: UInt32) -> Int { Int(length) * 2000 / size }
    html.add(
      """
      <svg class="points" role="img" aria-label="\(name)" \
      viewBox="-60 -60 \(units(east - west) + 120) \(units(south - north) + 120)"><path d="
      """)
    for place in places { html.text("M\(units(place.x - west)) \(units(place.y - north))h0") }
    html.marks("\"/></svg>")
  }

  /// The response, to which nothing can be added. Nothing but styles and pictures of its own can be loaded into the page,
  /// and it sends nothing anywhere.
  ///
  /// - Parameter links: those of the header.
  consuming func response(
    status: Int = 200, etag: String? = nil, links: [Link] = [],
    headers: [(name: String, value: String)] = []
  ) -> HTTPResponse {
    html.marks("</section></main></body></html>")
    var response = HTTPResponse(
      status: status,
      headers: [
        ("Content-Type", "text/html; charset=utf-8"),
        (
          "Content-Security-Policy",
          "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
      ] + headers, body: html.bytes, etag: etag)
    response.add(links)
    return response
  }

  /// Text as it stands in an element or in quotes.
  static func escaped(_ text: String) -> String {
    var html = HTMLWriter(reserving: text.utf8.count + 16)
    html.text(text)
    return String(decoding: html.bytes, as: UTF8.self)
  }
}
