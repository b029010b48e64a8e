public import ClusterCore

extension JSONWriter {
  /// Writes the id of a feature as an integer or a string.
  public mutating func featureID(_ id: FeatureRecord.RawID) {
    switch id {
    case .integer(let value, writtenAsText: false): self.value(value)
    case .integer(let value, writtenAsText: true): self.value(String(value))
    case .text(let bytes): stringUTF8(bytes)
    }
  }

  /// Writes the id of a feature as an integer or a string.
  public mutating func featureID(_ id: FeatureID) {
    switch id.key {
    case .integer(let value) where id.isWrittenAsText: self.value(String(value))
    case .integer(let value): self.value(value)
    case .text(let bytes): bytes.withUnsafeBytes { stringUTF8($0) }
    }
  }

  /// Writes a GeoJSON Point with all ordinates.
  ///
  /// - Parameter longitude: the longitude to write in place of the feature's.
  public mutating func geometry(of record: FeatureRecord, longitude: Double? = nil) {
    let coordinate = record.coordinate
    beginObject()
    member("type", "Point")
    key("coordinates")
    beginArray()
    value(longitude ?? coordinate.longitude)
    value(coordinate.latitude)
    for ordinate in record.furtherOrdinates { value(ordinate) }
    endArray()
    endObject()
  }

  /// Writes a GeoJSON Feature with all its properties, and its expiry if it has one.
  ///
  /// - Parameter tellsNever: whether a feature without an expiry says so, as one that is stored where features expire by
  ///   default.
  public mutating func feature(_ record: FeatureRecord, tellsNever: Bool) {
    feature(record, hasGeometry: true, tellsNever: tellsNever) {
      $0.member("properties", raw: record.properties)
    }
  }

  /// Writes a GeoJSON Feature, with null for its geometry if it isn't wanted, and its expiry if it has one.
  ///
  /// - Parameters:
  ///   - tellsNever: see ``feature(_:tellsNever:)``.
  ///   - properties: writes the member `properties`.
  @inline(__always)
  public mutating func feature(
    _ record: FeatureRecord, hasGeometry: Bool, tellsNever: Bool,
    properties: (inout JSONWriter) -> Void
  ) {
    beginObject()
    member("type", "Feature")
    if !record.needsID {
      key("id")
      featureID(record.rawID)
    }
    key("geometry")
    if hasGeometry { geometry(of: record) } else { null() }
    properties(&self)
    if record.expires != nil || record.neverExpires || tellsNever {
      member("expires", record.expires.map { DateTime.text($0) })
    }
    endObject()
  }
}
