import ClusterCore
import GeoFormats
import HTTPServer
import Threading

extension Resources {
  /// A page of features as a table, as `pincluster export` writes it. The members that other forms have in their
  /// heads are header fields.
  static func table(
    _ ordinals: ArraySlice<Int>, of index: FeatureIndex, _ form: FeatureForm,
    _ columns: CSVWriter.Columns, matched: Int, links: [Link], etag: String, of id: String?
  ) -> HTTPResponse {
    var table = CSVWriter(
      columns, hasDistances: form.near != nil, reserving: 512 + ordinals.count * 128)
    for ordinal in ordinals {
      let record = index.record(at: ordinal)
      if Interruption.poll(200 &+ columns.count * 4 &+ record.properties.count * 2) { break }
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
}

extension HTTPResponse {
  /// Names the reference system of the coordinates, if the request did.
  mutating func add(_ form: FeatureForm) {
    guard form.namesReferenceSystem else { return }
    CrossOrigin.add("Content-Crs", "<\(ReferenceSystem.crs84)>", to: &self)
  }
}
