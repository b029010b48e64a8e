internal import Texts

/// The meaning of the columns of a table.
struct CSVHeader {
  static let longitudeNames = ["lon", "lng", "long", "longitude", "x"]
  static let latitudeNames = ["lat", "latitude", "y"]

  let longitude: Int
  let latitude: Int
  let id: Int?
  /// For each column, the start of its property, `"name":`; empty if the column is not a property.
  let properties: [[UInt8]]

  /// Reads the header record. White space around names is ignored.
  init(_ record: UnsafeRawBufferPointer, idProperty: [UInt8]?) throws(FeatureRefusal) {
    var fields = CSVFields()
    try fields.split(record)
    let names = fields.fields.map { field in
      CSVFields.withText(of: field, in: record) { Array(JSONText.trimmed($0)) }
    }
    var seen: Set<[UInt8]> = []
    for name in names where !seen.insert(name).inserted {
      throw FeatureRefusal(
        "the column \"\(String(decoding: name, as: UTF8.self).shortened(to: 100))\" appears twice")
    }
    let folded = names.map { String(decoding: $0, as: UTF8.self).lowercasedASCII }
    func column(_ accepted: [String]) throws(FeatureRefusal) -> Int {
      if let index = accepted.lazy.compactMap(folded.firstIndex(of:)).first { return index }
      throw FeatureRefusal("no column is named " + accepted.joined(separator: ", "))
    }
    let longitude = try column(CSVHeader.longitudeNames)
    let latitude = try column(CSVHeader.latitudeNames)
    self.longitude = longitude
    self.latitude = latitude
    let id =
      if let idProperty {
        names.firstIndex(of: idProperty).flatMap { $0 == longitude || $0 == latitude ? nil : $0 }
      } else {
        folded.firstIndex { $0.isSame(as: "id") }
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
