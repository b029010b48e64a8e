/// A GeoJSON Feature with a Point.
public struct Feature: Codable, Hashable, Sendable {
  /// Nil for a feature that is given one when it is stored.
  public var id: FeatureID?
  /// Where to draw it.
  public var coordinate: Coordinate
  /// The ordinates after longitude and latitude, such as the altitude.
  public var furtherOrdinates: [Double] = []
  /// The properties.
  public var properties: [String: JSONValue]
  /// When it goes, as RFC 3339.
  public var expires: String?
  /// Whether it never goes, although others of its collection do after a time to live. Ignored beside ``expires``.
  public var neverExpires = false

  /// Creates it from its parts.
  public init(
    id: FeatureID? = nil, coordinate: Coordinate, properties: [String: JSONValue] = [:]
  ) {
    (self.id, self.coordinate, self.properties) = (id, coordinate, properties)
  }

  private enum CodingKeys: String, CodingKey { case type, id, geometry, properties, expires }

  private struct Point: Codable {
    var type = "Point"
    var coordinates: [Double]
  }

  /// Decodes it as the contract has it.
  ///
  /// - Throws: `DecodingError` for any other form.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decodeIfPresent(FeatureID.self, forKey: .id)
    let ordinates = try container.decode(Point.self, forKey: .geometry).coordinates
    guard ordinates.count > 1 else {
      throw DecodingError.dataCorruptedError(
        forKey: .geometry, in: container, debugDescription: "a position has two numbers or more")
    }
    coordinate = Coordinate(latitude: ordinates[1], longitude: ordinates[0])
    furtherOrdinates = Array(ordinates.dropFirst(2))
    properties =
      try container.decodeIfPresent([String: JSONValue].self, forKey: .properties) ?? [:]
    expires = try container.decodeIfPresent(String.self, forKey: .expires)
    neverExpires = expires == nil && container.contains(.expires)
  }

  /// Encodes it as the contract has it.
  ///
  /// - Throws: the error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode("Feature", forKey: .type)
    try container.encodeIfPresent(id, forKey: .id)
    try container.encode(
      Point(coordinates: [coordinate.longitude, coordinate.latitude] + furtherOrdinates),
      forKey: .geometry)
    try container.encode(properties, forKey: .properties)
    if expires != nil || neverExpires { try container.encode(expires, forKey: .expires) }
  }
}

/// A feature with the tag by which later writes can make sure that nobody has changed it.
public struct TaggedFeature: Hashable, Sendable {
  /// The feature.
  public var feature: Feature
  /// The tag, for ``Condition/matches(tag:)``.
  public var tag: String
  /// The version of the collection after the write, for ``Features/from(version:)``; nil if the feature was read.
  public var version: Int?
}

/// A page of features.
public struct FeaturePage: Decodable, Hashable, Sendable {
  /// The features of the page.
  public var features: [Feature]
  /// The number of features on all pages.
  public var numberMatched: Int
  /// The number of features on this page.
  public var numberReturned: Int
  /// Properties that the request names and no feature has, and the like, in sentences for people; nil if there is nothing
  /// to say.
  public var notes: [String]?
}

/// The result of a write of many features.
public struct WriteSummary: Decodable, Hashable, Sendable {
  /// The number of features that are new.
  public var inserted: Int
  /// The number of features that were there.
  public var updated: Int
  /// The number of features that were not stored.
  public var rejected: Int
  /// The ids of all stored features in the order of the body, of up to 1,000.
  public var ids: [FeatureID]?
  /// The features that were not stored, and why: the first hundred of them; nil if all were.
  public var errors: [Problem.Fault]?
  /// The service's assumptions while reading, in sentences for people; nil if there are none.
  public var notes: [String]?
  /// The version of the collection after it, for ``Features/from(version:)``.
  public internal(set) var version: Int?

  private enum CodingKeys: String, CodingKey {
    case inserted, updated, rejected, ids, errors, notes
  }
}

/// A condition of a write, which otherwise throws a ``Problem`` of the status 412.
public enum Condition: Hashable, Sendable {
  /// The feature has this tag still.
  case matches(tag: String)
  /// The feature is there.
  case exists
  /// The feature isn't there yet.
  case isNew

  var header: (name: String, value: String) {
    switch self {
    case .matches(let tag): ("If-Match", tag)
    case .exists: ("If-Match", "*")
    case .isNew: ("If-None-Match", "*")
    }
  }
}

/// A collection, as the service describes it.
public struct CollectionInfo: Decodable, Hashable, Sendable, Identifiable {
  /// The part of space and time that features lie in.
  public struct Extent: Decodable, Hashable, Sendable {
    /// The part of space.
    /// The bounds in degrees.
    public struct Spatial: Decodable, Hashable, Sendable {
      /// One rect around all features; nil if there are none.
      public var bbox: [BoundingBox]?
    }
    /// The part of time.
    /// The first and the last time, nil where it is open.
    public struct Temporal: Decodable, Hashable, Sendable {
      /// The first and the last time, nil where it is open.
      public var interval: [[String?]]
    }

    /// The part of space.
    public var spatial: Spatial?
    /// The part of time, if features have one.
    public var temporal: Temporal?
  }

  /// The id.
  public var id: String
  /// A title.
  public var title: String?
  /// A description.
  public var description: String?
  /// Where its features lie.
  public var extent: Extent?
  /// The number of features.
  public var featureCount: Int
  /// The version of the collection.
  public var version: Int
}
