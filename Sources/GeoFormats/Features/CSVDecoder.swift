internal import ClusterCore

/// Decodes the records of a table into records of a batch.
struct CSVDecoder {
  private let header: CSVHeader
  private var fields = CSVFields()
  private var properties = JSONWriter()

  init(header: CSVHeader) { self.header = header }

  /// Appends the feature of one record, which is valid UTF-8. Returns what is wrong with it, or nil.
  mutating func decode(_ record: UnsafeRawBufferPointer, into batch: inout FeatureBatch) -> String?
  {
    if let problem = fields.split(record) { return problem }
    guard fields.fields.count == header.properties.count else {
      return "has \(fields.fields.count) fields, but the header has \(header.properties.count)"
    }
    guard let longitude = number(header.longitude, record) else {
      return "the longitude is not a number"
    }
    guard let latitude = number(header.latitude, record) else {
      return "the latitude is not a number"
    }
    let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    if let problem = coordinate.problem { return problem }

    let id: FeatureID?
    do throws(FeatureID.Invalid) {
      id = try self.id(record)
    } catch {
      return error.reason
    }
    if let problem = writeProperties(record) { return problem }
    properties.withBytes { properties in
      batch.append(
        id: id, coordinate: coordinate, further: UnsafeBufferPointer(start: nil, count: 0),
        properties: properties)
    }
    return nil
  }

  private func number(_ column: Int, _ record: UnsafeRawBufferPointer) -> Double? {
    CSVFields.withText(of: fields.fields[column], in: record) {
      JSONText.decimal(JSONText.trimmed($0))
    }
  }

  private func id(_ record: UnsafeRawBufferPointer) throws(FeatureID.Invalid) -> FeatureID? {
    guard let column = header.id else { return nil }
    return try CSVFields.withText(of: fields.fields[column], in: record) { text in
      Result { () throws(FeatureID.Invalid) in
        text.isEmpty ? nil : try FeatureID(bareUTF8: text)
      }
    }.get()
  }

  /// Writes the properties of a record. Returns what is wrong with them, or nil.
  private mutating func writeProperties(_ record: UnsafeRawBufferPointer) -> String? {
    properties.removeAll()
    properties.beginObject()
    for (index, field) in fields.fields.enumerated() {
      guard field.start < field.end, !header.properties[index].isEmpty else { continue }
      let problem: String? = CSVFields.withText(of: field, in: record) { text in
        let isNumber = JSONText.isNumber(text)
        if isNumber, !JSONText.isFinite(text) { return "field \(index + 1): number out of range" }
        properties.separate()
        header.properties[index].withUnsafeBytes { properties.append($0) }
        if isNumber { properties.raw(text) } else { properties.stringUTF8(text) }
        return nil
      }
      if let problem { return problem }
    }
    properties.endObject()
    return nil
  }
}
