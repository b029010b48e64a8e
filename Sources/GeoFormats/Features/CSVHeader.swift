/// The meaning of the columns of a table.
struct CSVHeader {
  /// The reason why a table has no features.
  struct Refusal: Error { var detail: String }

  /// Accepted names, in order of preference.
  static let longitudeNames = ["lon", "lng", "long", "longitude", "x"]
  static let latitudeNames = ["lat", "latitude", "y"]

  let longitude: Int
  let latitude: Int
  /// The column of the ids, if there is one.
  let id: Int?
  /// For each column, the start of its property, `"name":`; empty if the column is not a property.
  let properties: [[UInt8]]

  /// Reads the header record. White space around names is ignored.
  init(_ record: UnsafeRawBufferPointer, idProperty: [UInt8]?) throws(Refusal) {
    var fields = CSVFields()
    if let problem = fields.split(record) { throw Refusal(detail: problem) }
    let names = fields.fields.map { field in
      CSVFields.withText(of: field, in: record) { Array(JSONText.trimmed($0)) }
    }
    var seen: Set<[UInt8]> = []
    for name in names where !seen.insert(name).inserted {
      throw Refusal(
        detail: "the column \"\(String(decoding: name, as: UTF8.self))\" appears twice")
    }
    let folded = names.map { String(decoding: $0, as: UTF8.self).lowercased() }
    func column(_ accepted: [String]) throws(Refusal) -> Int {
      for name in accepted {
        if let index = folded.firstIndex(of: name) { return index }
      }
      throw Refusal(detail: "no column is named " + accepted.joined(separator: ", "))
    }
    let longitude = try column(CSVHeader.longitudeNames)
    let latitude = try column(CSVHeader.latitudeNames)
    self.longitude = longitude
    self.latitude = latitude
    let id: Int?
    if let idProperty {
      id = names.firstIndex(of: idProperty).flatMap { $0 == longitude || $0 == latitude ? nil : $0 }
    } else {
      id = folded.firstIndex(of: "id")
    }
    self.id = id
    properties = names.enumerated().map { index, name in
      let isOther = index == longitude || index == latitude || (idProperty == nil && index == id)
      guard !isOther else { return [] }
      var writer = JSONWriter(reserving: name.count + 3)
      name.withUnsafeBytes { writer.keyUTF8($0) }
      return writer.bytes
    }
  }
}
