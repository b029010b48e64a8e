internal import ClusterCore

/// Decodes the records of a table into records of a batch.
struct CSVDecoder {
  private let header: CSVHeader
  /// The maximum length of the properties as JSON, in bytes.
  private let maximumLength: Int
  private var fields = CSVFields()
  private var properties = JSONWriter()

  init(header: CSVHeader, maximumLength: Int) {
    (self.header, self.maximumLength) = (header, maximumLength)
  }

  /// Appends the feature of one record, which is valid UTF-8.
  mutating func decode(
    _ record: UnsafeRawBufferPointer, into batch: inout FeatureBatch
  ) throws(FeatureRefusal) {
    try fields.split(record)
    guard fields.fields.count == header.properties.count else {
      throw FeatureRefusal(
        "has \(fields.fields.count) fields, but the header has \(header.properties.count)")
    }
    let longitude = try number(header.longitude, "longitude", record)
    let latitude = try number(header.latitude, "latitude", record)
    let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    try coordinate.check()
    let id = try id(record)
    try writeProperties(record)
    properties.withBytes { properties in
      batch.append(
        id: id, coordinate: coordinate, further: UnsafeBufferPointer(start: nil, count: 0),
        properties: properties)
    }
  }

  private func number(
    _ column: Int, _ name: String, _ record: UnsafeRawBufferPointer
  ) throws(FeatureRefusal) -> Double {
    let number = CSVFields.withText(of: fields.fields[column], in: record) {
      JSONText.decimal(JSONText.trimmed($0))
    }
    guard let number else { throw FeatureRefusal("the \(name) is not a number") }
    return number
  }

  private func id(_ record: UnsafeRawBufferPointer) throws(FeatureRefusal) -> FeatureID? {
    guard let column = header.id else { return nil }
    do throws(FeatureID.Invalid) {
      return try CSVFields.withText(of: fields.fields[column], in: record) {
        (text) throws(FeatureID.Invalid) in
        text.isEmpty ? nil : try FeatureID(bareUTF8: text)
      }
    } catch {
      throw FeatureRefusal(error.reason)
    }
  }

  private mutating func writeProperties(
    _ record: UnsafeRawBufferPointer
  ) throws(FeatureRefusal) {
    properties.removeAll()
    properties.beginObject()
    for (index, field) in fields.fields.enumerated() {
      guard field.start < field.end, !header.properties[index].isEmpty else { continue }
      // Checked before it is written, so that what is refused costs little.
      let length = properties.count + header.properties[index].count + field.end - field.start
      guard length < maximumLength else { throw tooLong(with: index) }
      try CSVFields.withText(of: field, in: record) { (text) throws(FeatureRefusal) in
        let isNumber = JSONText.isNumber(text)
        guard !isNumber || JSONText.isFinite(text) else {
          throw FeatureRefusal("field \(index + 1): number out of range")
        }
        properties.separate()
        header.properties[index].withUnsafeBytes { properties.append($0) }
        if isNumber { properties.raw(text) } else { properties.stringUTF8(text) }
      }
    }
    properties.endObject()
    // Escapes may have made it longer than the text.
    guard properties.count <= maximumLength else { throw tooLong(with: fields.fields.count - 1) }
  }

  private func tooLong(with field: Int) -> FeatureRefusal {
    FeatureRefusal(
      "field \(field + 1): with it the properties take more than \(maximumLength) bytes, as each repeats "
        + "the name of its column")
  }
}
