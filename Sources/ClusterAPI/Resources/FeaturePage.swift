import ClusterCore
import Collections
import GeoFormats
import HTTPServer
import Threading

/// A page of features: those of a collection, or of an annotation.
struct FeaturePage {
  /// The ordinals of the features. The page has as many of them as fit into it.
  var ordinals: [Int]
  /// The number of features on all pages.
  let matched: Int
  let snapshot: CollectionSnapshot
  var form = FeatureForm()
  /// The collection's id; nil for the features of an annotation.
  var id: String?
  let paging: Paging
  let notes: [String]
  let request: HTTPRequest
  /// The beginning of links.
  let base: String
  let type: MediaType
  let etag: String

  private var index: FeatureIndex { snapshot.index }

  /// The response. JSON and GeoJSON differ in the media type only.
  ///
  /// - Throws: ``Problem`` 422 if the features have more properties than a table has columns.
  func response() throws -> HTTPResponse {
    let columns = type == .csv ? try form.tableColumns(of: snapshot) : nil
    var ordinals = AnswerLimit.page(
      ordinals, of: index, form.properties,
      otherBytes: AnswerLimit.otherBytes + (columns?.count ?? 0))
    if type == .html { ordinals = ordinals.prefix(FeatureTable.mostRows) }
    var notes = notes
    if form.near != nil, ordinals.count < self.ordinals.count {
      notes.append(
        "the nearest \(ordinals.count) of the \(self.ordinals.count) asked for are all that one answer holds; "
          + "properties with fewer names leave room for more")
    }
    var links = [Link(base + Resources.target(request), "self", type, "This page")]
    if let id {
      links.append(Resources.alternate(request, base, of: type, .geoJSON))
      if type != .csv {
        let table = Resources.target(request, setting: "f", to: MediaType.csv.shortName)
        links.append(Link(base + table, "alternate", .csv, "The same as a table"))
      }
      links.append(Link("\(base)/collections/\(id)", "collection", .json, "The collection"))
    }
    let next = paging.offset + ordinals.count
    if form.near == nil && paging.limit > 0 && next < matched {
      links.append(
        Link(base + Resources.nextPage(request, offset: next), "next", type, "The next page"))
    }
    if let id, type == .html { return html(ordinals, of: id, links).noting(notes) }
    if let columns { return table(ordinals, columns, links).noting(notes) }
    return json(ordinals, links, notes)
  }

  private func json(
    _ ordinals: ArraySlice<Int>, _ links: [Link], _ notes: [String]
  ) -> HTTPResponse {
    var response = HTTPResponse(
      type: type, etag: etag, reserving: 512 + ordinals.count * 256
    ) { json in
      json.member("type", "FeatureCollection")
      json.member("numberMatched", matched)
      json.member("numberReturned", ordinals.count)
      json.notes(notes)
      json.links(links)
      json.array("features") { json in
        for ordinal in ordinals {
          let record = index.record(at: ordinal)
          if Cancellation.poll(100 &+ record.properties.count / 4) { return }
          json.feature(record, of: snapshot.info, form)
        }
      }
    }
    response.add(form)
    // It tells what filters may name, too.
    response.add(links + (id.map { [Resources.queryables(of: $0, base)] } ?? []))
    return response
  }

  /// A table, as `pincluster export` writes it. The members that other forms have in their heads are header fields.
  private func table(
    _ ordinals: ArraySlice<Int>, _ columns: CSVWriter.Columns, _ links: [Link]
  ) -> HTTPResponse {
    var table = CSVWriter(
      columns, hasDistances: form.near != nil, reserving: 512 + ordinals.count * 128)
    for ordinal in ordinals {
      let record = index.record(at: ordinal)
      if Cancellation.poll(200 &+ columns.count * 4 &+ record.properties.count * 2) { break }
      table.write(record, metres: form.near?.metres(to: record.coordinate))
    }
    var response = HTTPResponse(table.take(), type: .csv, etag: etag)
    if let id {
      response.headers.append(("Content-Disposition", "attachment; filename=\"\(id).csv\""))
    }
    CrossOrigin.add("OGC-NumberMatched", "\(matched)", to: &response)
    CrossOrigin.add("OGC-NumberReturned", "\(ordinals.count)", to: &response)
    response.add(form)
    // The next page matters most, if there isn't room for all.
    let next = links.filter { $0.relation == "next" }
    if !response.add(next + links.filter { $0.relation != "next" }) { response.add(next) }
    return response
  }

  /// A page for people, with a map.
  private func html(
    _ ordinals: ArraySlice<Int>, of id: String, _ links: [Link]
  ) -> HTTPResponse {
    let collection = Link("\(base)/collections/\(id)?f=html", "collection", .html, id)
    var page = HTMLPage(
      "Features", above: [Resources.home(base), Resources.collections(base), collection],
      base: base, for: request)
    for note in notes { page.add(note: note) }
    page.add(actions: [("Show the collection on the map", "\(base)/map#collection=\(id)")])
    if form.hasGeometry {
      page.add(map: ordinals.map { index.position(at: $0) }, "Where the features of this page are")
    }
    Resources.add(
      paging, shown: ordinals.count, of: matched, links, base, request, to: &page)
    let table = FeatureTable(ordinals, of: index, form)
    if !ordinals.isEmpty {
      page.section("Properties")
      table.write(to: &page.html, "\(base)/collections/\(id)/items")
      if table.isPartial { page.add(note: "Features have more properties: see their own pages.") }
      if ordinals.count < matched {
        Resources.add(
          paging, "Pages, below", shown: ordinals.count, of: matched, links, base, request,
          to: &page)
      }
    }
    page.section("For programs")
    page.add(list: [
      ("This page, as GeoJSON", Resources.alternate(in: links)),
      ("This page, as CSV", Resources.alternate(in: links, .csv)),
      ("Properties to ask for", "\(base)/collections/\(id)/queryables"),
    ])
    return page.response(etag: etag, links: links)
  }
}

extension HTTPResponse {
  /// Names the reference system of the coordinates, if the request did.
  mutating func add(_ form: FeatureForm) {
    guard form.namesReferenceSystem else { return }
    CrossOrigin.add("Content-Crs", "<\(ReferenceSystem.crs84)>", to: &self)
  }
}
