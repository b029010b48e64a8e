import ClusterCore
import GeoFormats
import HTTPServer
import Threading

/// What browsers get: the same as programs, as pages.
extension Resources {
  /// The landing page, with the first collections of a number.
  static func landingPage(
    _ collections: [CollectionSnapshot], of count: Int, links: [Link], _ base: String
  ) -> HTTPResponse {
    var page = HTMLPage(
      "pincluster", description: "Map pins, clustered exactly: what to draw in a viewport.")
    page.add(paragraph: [.link("\(base)/map", "Show them on a map")])
    page.add(rows: collections.map { row(of: $0, base) })
    let rest = count - collections.count
    if rest > 0 {
      page.add(paragraph: [
        .link("\(base)/collections?offset=\(collections.count)&f=html", "\(rest) more")
      ])
    }
    page.add(Array(links.dropFirst()))
    return page.response(base, links: links)
  }

  /// A list of collections.
  static func page(_ collections: [CollectionSnapshot], links: [Link], _ base: String)
    -> HTTPResponse
  {
    var page = HTMLPage("Collections", above: [home(base)])
    page.add(rows: collections.map { row(of: $0, base) })
    page.add(Array(links.dropFirst()))
    return page.response(base, links: links)
  }

  /// A collection.
  static func page(_ snapshot: CollectionSnapshot, links: [Link], _ base: String, etag: String)
    -> HTTPResponse
  {
    let info = snapshot.info
    var page = HTMLPage(
      info.title ?? info.id, description: info.description, above: [home(base), collections(base)])
    var rows: [[[HTMLPage.Cell]]] = [
      [[.text("Features")], [.text("\(snapshot.index.count)")]],
      [[.text("Version")], [.text("\(info.version)")]],
    ]
    if let bounds = snapshot.index.extent {
      let edges = [bounds.west, bounds.south, bounds.east, bounds.north].map { $0 + 0 }
      rows.append([[.text("Extent")], [.text(edges.map { "\($0)" }.joined(separator: ", "))]])
    }
    page.add(rows: rows)
    page.add(paragraph: [.link("\(base)/map#collection=\(info.id)", "Show it on a map")])
    page.add(
      Array(links.dropFirst()) + [
        Link(
          "\(base)/collections/\(info.id)/clusters?bbox=-180,-85,180,85&viewportWidth=1024",
          "related", .json, "The world, clustered")
      ])
    return page.response(base, etag: etag, links: links)
  }

  /// The most features of a page for people.
  static let longestHTML = 1000

  /// Features, with a map.
  static func page(
    _ ordinals: ArraySlice<Int>, of index: FeatureIndex, _ form: FeatureForm, matched: Int,
    in id: String, links: [Link], _ base: String, etag: String
  ) -> HTTPResponse {
    let collection = Link("\(base)/collections/\(id)?f=html", "collection", .html, id)
    var page = HTMLPage("Features", above: [home(base), collections(base), collection])
    page.add(paragraph: [.text("\(ordinals.count) of \(matched)")])
    if form.hasGeometry {
      page.add(
        map: ordinals.map { ordinal in
          let coordinate = index.record(at: ordinal).coordinate
          return (coordinate.longitude, coordinate.latitude)
        })
    }
    page.add(
      rows: ordinals.map { ordinal in
        let record = index.record(at: ordinal)
        Interruption.poll(1000 &+ record.properties.count)
        let name = "\(record.id)"
        let href = "\(base)/collections/\(id)/items/\(PercentCoding.encode(name))?f=html"
        return [
          [.link(href, name)], [.text(form.hasGeometry ? coordinates(of: record) : "")],
          [.text(properties(of: record, form))],
        ]
      })
    page.add(Array(links.dropFirst()))
    return page.response(base, etag: etag, links: links)
  }

  /// A feature.
  static func page(
    _ record: FeatureRecord, _ form: FeatureForm, in id: String, links: [Link], _ base: String
  ) -> HTTPResponse {
    let collection = Link("\(base)/collections/\(id)?f=html", "collection", .html, id)
    var page = HTMLPage("\(record.id)", above: [home(base), collections(base), collection])
    var rows: [[[HTMLPage.Cell]]] = []
    if form.hasGeometry { rows.append([[.text("Coordinates")], [.text(coordinates(of: record))]]) }
    for (name, value) in members(of: record, form).prefix(longestHTML) {
      rows.append([[.text(shown(name))], [.text(shown(value))]])
    }
    page.add(rows: rows)
    page.add(Array(links.dropFirst()))
    return page.response(base, links: links)
  }

  // MARK: Parts

  private static func home(_ base: String) -> Link {
    Link("\(base)/?f=html", "root", .html, "pincluster")
  }

  private static func collections(_ base: String) -> Link {
    Link("\(base)/collections?f=html", "data", .html, "Collections")
  }

  private static func row(of snapshot: CollectionSnapshot, _ base: String) -> [[HTMLPage.Cell]] {
    let path = "\(base)/collections/\(snapshot.info.id)"
    return [
      [.link("\(path)?f=html", snapshot.info.title ?? snapshot.info.id)],
      [.text("\(snapshot.index.count)")],
      [
        .link("\(base)/map#collection=\(snapshot.info.id)", "Map"),
        .link("\(path)/items?f=html", "Features"),
      ],
    ]
  }

  private static func coordinates(of record: FeatureRecord) -> String {
    // Minus zero is zero.
    "\(record.coordinate.longitude + 0), \(record.coordinate.latitude + 0)"
  }

  /// The properties that a request wants of a feature.
  private static func members(
    of record: FeatureRecord, _ form: FeatureForm
  ) -> some Sequence<PropertyReader.Members.Element> {
    PropertyReader.Members(of: record.properties).lazy.filter {
      form.properties == .all || form.properties.contains(JSONScanner.unescape($0.name))
    }
  }

  /// The most bytes of a value on a page for people.
  private static let longestValue = 200

  private static func properties(of record: FeatureRecord, _ form: FeatureForm) -> String {
    members(of: record, form).prefix(20).map {
      "\(shown($0.name)): \(shown($0.value))"
    }.joined(separator: ", ")
  }

  /// JSON text as people read it, without quotes, and cut where it is long.
  private static func shown(_ text: UnsafeRawBufferPointer) -> String {
    let isLong = text.count > longestValue
    guard text.first == UInt8(ascii: "\""), !isLong else {
      return String(decoding: text.prefix(longestValue), as: UTF8.self) + (isLong ? "…" : "")
    }
    return String(decoding: JSONScanner.unescape(text), as: UTF8.self)
  }
}
