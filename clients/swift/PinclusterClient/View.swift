/// The answer to a viewport request.
public struct View: Codable, Hashable, Sendable {
  /// The steps by which a client updates the annotations on screen: remove, rename the kept ones, add.
  public struct Changes: Codable, Hashable, Sendable {
    /// The annotations to remove, by id.
    public var removed: [String]
    /// Pairs of an id before and after.
    public var kept: [[String]]
    /// The new annotations, by id.
    public var added: [String]
  }

  /// How many features lie in each bin.
  public struct Histogram: Codable, Hashable, Sendable {
    /// Numbers, or date-times; null if there are no values.
    public var from: JSONValue
    /// Where the last bin ends.
    public var to: JSONValue
    /// The number of features by value of `countBy`, or by bin.
    public var counts: [Int]
    /// The number of features without a value.
    public var missing: Int
  }

  /// The zoom, rounded to 1/1000.
  public var zoomLevel: Double
  /// The side of a cell in map points; nil for methods without a grid.
  public var cellMapSize: Double?
  /// The number of cells along each side of the world; nil for methods without a grid.
  public var cellsPerWorld: Int?
  /// The whole cells that the answer covers; nil for children of an annotation.
  public var gridRect: MapRect?
  /// The number of features.
  public var featureCount: Int
  /// The number of features that the method `collision` hides.
  public var hiddenCount: Int?
  /// The version of the collection.
  public var version: Int
  /// Properties that the request names and no feature has, and the like, in sentences for people; nil if there is nothing
  /// to say.
  public var notes: [String]?
  /// The annotations, in the order of the contract.
  public var annotations: [Annotation]
  /// How many features lie in each interval, if it was asked for.
  public var histogram: Histogram?
  /// The changes of the annotations on screen, if they were given.
  public var changes: Changes?
  /// The cells as GeoJSON, if `debug` asked for them.
  public var grid: JSONValue?
}

/// The pins of a rect.
public struct Pins: Codable, Hashable, Sendable {
  /// A feature, and where to draw it.
  public struct Pin: Codable, Hashable, Sendable, Identifiable {
    /// The id.
    public var id: FeatureID
    /// Where to draw it.
    public var coordinate: Coordinate
    /// Where the feature is, if it is drawn elsewhere.
    public var originalCoordinate: Coordinate
    /// The number of features that share the original coordinate.
    public var contested: Int
    /// The feature.
    public var feature: Annotation.Feature
  }

  /// The number of features.
  public var featureCount: Int
  /// The version of the collection.
  public var version: Int
  /// Properties that the request names and no feature has, and the like, in sentences for people; nil if there is nothing
  /// to say.
  public var notes: [String]?
  /// The pins, in index order.
  public var pins: [Pin]
}

/// Where a feature is found.
public struct Located: Codable, Hashable, Sendable {
  /// A rect that shows it.
  public var visibleMapRect: MapRect
  /// The bounds in degrees.
  public var bbox: BoundingBox
  /// The zoom, rounded to 1/1000.
  public var zoomLevel: Double
  /// The annotation that holds the feature there; nil if it is hidden.
  public var annotation: Annotation?
  /// The zoom from which on the feature is alone; nil if it never is.
  public var standaloneZoom: Int?
  /// Properties that the request names and no feature has, and the like, in sentences for people; nil if there is nothing
  /// to say.
  public var notes: [String]?
}
