import ClusterCore
import Collections
import FeatureStore
import GeoFormats
import HTTPServer
import Texts
import Threading

/// The pages for browsers, with the same content as for programs.
extension Resources {
  /// The landing page, with the first collections of a number.
  static func landingPage(
    _ collections: [CollectionSnapshot], of count: Int, links: [Link], _ base: String,
    _ request: HTTPRequest
  ) -> HTTPResponse {
    var page = HTMLPage(
      "pincluster", description: summary, base: base, for: request)
    page.add(actions: [
      ("Open the map", "\(base)/map"), ("Read the API", "\(base)/api?f=html"),
    ])
    var figures = [("Collections", count.grouped)]
    if count == collections.count {
      figures.append(("Features", collections.reduce(0) { $0 + $1.index.count }.grouped))
    }
    page.add(figures: figures)
    page.section("Collections")
    write(collections, to: &page, base)
    let rest = count - collections.count
    if rest > 0 {
      let href = "\(base)/collections?offset=\(collections.count)&f=html"
      page.html.add("<p><a href=\"\(href)\">\(rest.grouped) more</a></p>")
    }
    page.section("For programs")
    // Others are above.
    let others = links.dropFirst().filter {
      !["data", "service-doc", "alternate"].contains($0.relation)
    }
    page.add(
      list: [("This page, as JSON", alternate(in: links))] + others.map { ($0.title, $0.href) })
    return page.response(links: links)
  }

  /// A list of collections.
  ///
  /// - Parameter previous: the address of the page before.
  static func page(
    _ collections: [CollectionSnapshot], of count: Int, _ paging: Paging, links: [Link],
    _ base: String, _ request: HTTPRequest
  ) -> HTTPResponse {
    var page = HTMLPage("Collections", above: [home(base)], base: base, for: request)
    write(collections, to: &page, base)
    add(paging, shown: collections.count, of: count, links, base, request, to: &page)
    page.section("For programs")
    page.add(list: [("This page, as JSON", alternate(in: links))])
    return page.response(links: links)
  }

  /// A collection.
  static func page(
    _ snapshot: CollectionSnapshot, links: [Link], _ base: String, etag: String,
    _ request: HTTPRequest
  ) throws -> HTTPResponse {
    let info = snapshot.info
    let own = "\(base)/collections/\(info.id)"
    var page = HTMLPage(
      info.title ?? info.id, description: info.description, above: [home(base), collections(base)],
      base: base, for: request)
    page.add(actions: [
      ("Show on the map", "\(base)/map#collection=\(info.id)"),
      ("Browse features", "\(own)/items?f=html"),
    ])
    var figures = [("Features", snapshot.index.count.grouped)]
    if let bounds = snapshot.index.extent {
      figures.append(("From west to east", longitudes(of: bounds)))
      figures.append(("From south to north", latitudes(of: bounds)))
    }
    if let times = try snapshot.times?.extent() {
      figures.append(("First", DateTime.text(Int64(times.lowerBound))))
      figures.append(("Last", DateTime.text(Int64(times.upperBound))))
    }
    if let ttl = info.ttl { figures.append(("Kept for", "\(Double(ttl) / 1000) s")) }
    page.add(figures: figures)
    page.section("For programs")
    page.add(list: [
      ("This collection, as JSON", "\(own)?f=json"),
      ("Features, as GeoJSON", "\(own)/items?f=geojson"),
      ("Features, as CSV", "\(own)/items?f=csv"),
      ("Properties to ask for", "\(own)/queryables"),
      ("What a feature has", "\(own)/schema"),
      (
        "The world, clustered",
        "\(own)/clusters?bbox=-180,-85,180,85&viewportWidth=1024"
      ),
      ("Vector tiles", "\(own)/tiles"),
      ("Vector tiles, as TileJSON", "\(own)/tiles.json"),
    ])
    return page.response(etag: etag, links: links)
  }

  /// The most bytes of a value, and the most members, on the page of a feature.
  private static let (longestValue, mostMembers) = (4000, 1000)

  /// A feature.
  static func page(
    _ record: FeatureRecord, _ form: FeatureForm, in id: String, links: [Link], _ base: String,
    _ request: HTTPRequest
  ) -> HTTPResponse {
    let own = Link("\(base)/collections/\(id)?f=html", "collection", .html, id)
    let list = Link("\(base)/collections/\(id)/items?f=html", "items", .html, "Features")
    let (longitude, latitude) = (record.coordinate.longitude + 0, record.coordinate.latitude + 0)
    let name = "\(record.id)"
    var page = HTMLPage(
      title(of: record, form) ?? "Feature \(name)",
      above: [home(base), collections(base), own, list],
      base: base, for: request)
    let view = "collection=\(id)&lat=\(latitude)&lng=\(longitude)&zoom=12"
    page.add(actions: [
      ("Show on the map", "\(base)/map#\(view)&id=\(PercentCoding.encode(name))")
    ])
    let place = [("Longitude", "\(longitude)"), ("Latitude", "\(latitude)")]
    page.add(figures: [("Id", name)] + (form.hasGeometry ? place : []))
    page.section("Properties")
    page.html.marks("<table class=\"values\"><tbody>")
    var (count, isPartial) = (0, false)
    for (name, value) in form.members(of: record.properties) {
      count += 1
      guard count <= mostMembers else {
        isPartial = true
        break
      }
      page.html.marks("<tr><th scope=\"row\">")
      page.html.value(name, atMost: 200)
      page.html.marks("</th><td>")
      page.html.value(value, atMost: longestValue)
      page.html.marks("</td></tr>")
    }
    page.html.marks("</tbody></table>")
    if count == 0 { page.html.marks("<p>It has none.</p>") }
    if isPartial { page.add(note: "It has more properties, which its GeoJSON holds.") }
    page.section("For programs")
    page.add(list: [("This feature, as GeoJSON", alternate(in: links))])
    return page.response(links: links)
  }

  /// The names of properties, and the types of their values.
  static func page(
    ofProperties properties: [(name: String, types: String)], in id: String, _ base: String,
    etag: String, _ request: HTTPRequest
  ) -> HTTPResponse {
    let own = "\(base)/collections/\(id)"
    let collection = Link("\(own)?f=html", "collection", .html, id)
    var page = HTMLPage(
      "Properties", description: "What filters may name, and what features have.",
      above: [home(base), collections(base), collection], base: base, for: request)
    if properties.isEmpty {
      page.add(note: "No feature has any.")
    } else {
      page.html.marks(
        """
        <table><thead><tr><th scope="col">Property</th><th scope="col">Types</th></tr></thead><tbody>
        """)
      for property in properties {
        page.html.add("<tr><th scope=\"row\">\(property.name)</th><td>\(property.types)</td></tr>")
      }
      page.html.marks("</tbody></table>")
    }
    page.section("For programs")
    page.add(list: [
      ("Properties to ask for, as JSON Schema", "\(own)/queryables?f=json"),
      ("What a feature has, as JSON Schema", "\(own)/schema"),
    ])
    return page.response(etag: etag)
  }

  // MARK: Parts

  static func home(_ base: String) -> Link { Link("\(base)/?f=html", "root", .html, "pincluster") }

  static func collections(_ base: String) -> Link {
    Link("\(base)/collections?f=html", "data", .html, "Collections")
  }

  /// The address of the same for programs.
  static func alternate(in links: [Link], _ type: MediaType? = nil) -> String {
    links.first { $0.relation == "alternate" && $0.type == type ?? $0.type }?.href ?? ""
  }

  /// Adds a table of collections.
  private static func write(
    _ collections: [CollectionSnapshot], to page: inout HTMLPage, _ base: String
  ) {
    guard !collections.isEmpty else {
      page.html.marks(
        "<p>There are none. <code>pincluster import FILE --collection NAME</code> makes one.</p>")
      return
    }
    page.html.marks(
      """
      <table><thead><tr><th scope="col">Collection</th><th scope="col" class="n">Features</th>\
      <th scope="col" class="wide">Extent</th><th scope="col">Show</th></tr></thead><tbody>
      """)
    for snapshot in collections {
      Cancellation.poll(2000)
      let id = snapshot.info.id
      let own = "\(base)/collections/\(id)"
      let extent = snapshot.index.extent.map { "\(latitudes(of: $0)), \(longitudes(of: $0))" }
      page.html.add(
        """
        <tr><th scope="row"><a href="\(own)?f=html">\(snapshot.info.title ?? id)</a></th>\
        <td class="n">\(snapshot.index.count.grouped)</td><td class="wide">\(extent ?? "")</td>\
        <td class="links"><a href="\(base)/map#collection=\(id)">Map</a>\
        <a href="\(own)/items?f=html">Features</a></td></tr>
        """)
    }
    page.html.marks("</tbody></table>")
  }

  /// Adds the way to other pages of a list.
  static func add(
    _ paging: Paging, _ name: String = "Pages", shown: Int, of count: Int, _ links: [Link],
    _ base: String, _ request: HTTPRequest, to page: inout HTMLPage
  ) {
    let next = links.first { $0.relation == "next" }?.href
    var previous: String?
    if paging.offset > 0 {
      let offset = max(
        0, min(paging.offset, count) - max(1, min(paging.limit, FeatureTable.mostRows)))
      previous = base + nextPage(request, offset: offset)
    }
    let text =
      shown == 0
      ? count == 0 ? "None" : "None of \(count.grouped)"
      : "\((paging.offset + 1).grouped) to \((paging.offset + shown).grouped) of \(count.grouped)"
    page.add(paging: text, name, previous: previous, next: next)
  }

  /// The names of properties whose text names a feature, the first first.
  private static let titles = ["name", "title"].map { Array($0.utf8) }

  /// The title of a feature, if one of its properties holds one.
  private static func title(of record: FeatureRecord, _ form: FeatureForm) -> String? {
    for name in titles where form.properties.contains(name) {
      let value = PropertyReader.value(of: name, in: record.properties)
      guard let value, value.first == UInt8(ascii: "\""), value.count > 2 else { continue }
      return HTMLWriter.withText(of: value, atMost: 200) { text, isCut in
        String(decoding: text, as: UTF8.self) + (isCut ? "…" : "")
      }
    }
    return nil
  }

  private static func longitudes(of bounds: GeoBounds) -> String {
    span(bounds.west, bounds.east, "E", "W")
  }

  private static func latitudes(of bounds: GeoBounds) -> String {
    span(bounds.south, bounds.north, "N", "S")
  }

  /// Degrees as people read them, to a hundredth, which is about a kilometre.
  private static func span(
    _ first: Double, _ last: Double, _ positive: String, _ negative: String
  ) -> String {
    let texts = [first, last].map { degrees in
      "\((abs(degrees) * 100).rounded() / 100)° \(degrees < 0 ? negative : positive)"
    }
    return texts[0].isSame(as: texts[1]) ? texts[0] : "\(texts[0]) – \(texts[1])"
  }
}
