/// A cluster or a pin to draw on a map. Members are nil if `fields` leaves them out, the request doesn't ask
/// for them, or this kind of annotation doesn't have them.
public struct Annotation: Codable, Hashable, Sendable, Identifiable {
  /// The feature of a pin.
  public struct Feature: Codable, Hashable, Sendable {
    /// The id.
    public var id: FeatureID
    /// The properties.
    public var properties: [String: JSONValue]
  }

  /// One of a cluster's features.
  public struct Member: Codable, Hashable, Sendable, Identifiable {
    /// The id.
    public var id: FeatureID
    /// Where to draw it.
    public var coordinate: Coordinate
    /// The properties.
    public var properties: [String: JSONValue]
  }

  /// The id, which names its place on its grid and stays the same when features change.
  public var id: String
  /// Where to draw it.
  public var coordinate: Coordinate?
  /// The number of its features.
  public var count: Int?
  /// Whether it has several features.
  public var isCluster: Bool?
  /// Whether all of them are at one location.
  public var isUniqueLocation: Bool?
  /// The bounds in degrees.
  public var bbox: BoundingBox?
  /// A title.
  public var title: String?
  /// The first titles of a cluster.
  public var subtitle: String?
  /// Where the feature is, if it is drawn elsewhere.
  public var originalCoordinate: Coordinate?
  /// The number of features that share the original coordinate.
  public var contested: Int?
  /// The value of `groupBy` of its features.
  public var group: String?
  /// The sum of `weightBy`.
  public var weight: Double?
  /// The number of features by value of `countBy`, or by bin.
  public var counts: [String: Int]?
  /// The number of features with other values of `countBy`.
  public var otherCount: Int?
  /// The statistics by name; nil where no feature has a number.
  public var aggregates: [String: Double?]?
  /// The zoom at which a cluster comes apart: nil where it wasn't asked for, and where no zoom tells its features
  /// apart, which `visibleMapRect` tells from each other.
  public var expansionZoom: Int?
  /// A rect that shows it.
  public var visibleMapRect: MapRect?
  /// Whether clusters carry their hull, or the hull.
  public var hull: Hull?
  /// The annotation of `previous` that it replaces.
  public var reuses: String?
  /// The feature.
  public var feature: Feature?
  /// The most features that clusters list, or the listed ones.
  public var members: [Member]?

  /// Creates it from its parts.
  public init(id: String, coordinate: Coordinate? = nil) {
    (self.id, self.coordinate) = (id, coordinate)
  }
}
