import ClusterCore

/// A feature as the tests know it.
public struct TwinFeature: Hashable, Sendable {
  /// Its id.
  public var id: FeatureID
  /// Its coordinate as it was sent.
  public var coordinate: Coordinate
  /// Its properties as the JSON text of an object; nil is `{}`.
  public var properties: String?

  /// A feature.
  public init(id: FeatureID, coordinate: Coordinate, properties: String? = nil) {
    self.id = id
    self.coordinate = coordinate
    self.properties = properties
  }

  /// A feature with an integer id, which must be within ±(2^53 − 1).
  public init(_ id: Int, _ longitude: Double, _ latitude: Double, _ properties: String? = nil) {
    self.init(
      id: FeatureID(known: id), coordinate: Coordinate(latitude: latitude, longitude: longitude),
      properties: properties)
  }

  /// A property's value, nil if it is missing.
  public func property(_ name: String) -> TestJSON? {
    guard let properties, let object = try? TestJSON(parsing: properties) else { return nil }
    return object[name]
  }

  /// The id as JSON, in the form in which it was written.
  public var idJSON: TestJSON {
    id.isWrittenAsText ? .string(id.description) : .number(id.description)
  }

  /// The feature as GeoJSON text.
  public var geoJSON: String {
    let longitude = TestJSON(coordinate.longitude).text
    let latitude = TestJSON(coordinate.latitude).text
    return "{\"type\":\"Feature\",\"id\":\(idJSON.text),\"geometry\":{\"type\":\"Point\","
      + "\"coordinates\":[\(longitude),\(latitude)]},\"properties\":\(properties ?? "{}")}"
  }
}

extension FeatureID {
  /// An integer id that the test knows to be in range.
  public init(known integer: Int) {
    do { try self.init(integer: Int64(integer)) } catch {
      preconditionFailure("\(integer): \(error)")
    }
  }

  /// A text id that the test knows to be valid.
  public init(known text: String) {
    do { try self.init(text: text.utf8) } catch { preconditionFailure("\(text): \(error)") }
  }
}

extension Sequence where Element == TwinFeature {
  /// The features as a GeoJSON FeatureCollection.
  public var featureCollection: String {
    "{\"type\":\"FeatureCollection\",\"features\":[" + map(\.geoJSON).joined(separator: ",") + "]}"
  }
}
