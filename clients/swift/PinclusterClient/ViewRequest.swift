/// The viewport request: the view of a map, and the clustering of its features. Nil stands for the service's
/// default.
public struct ViewRequest: Encodable, Hashable, Sendable {
  /// The part of the world that is visible.
  public enum Rect: Hashable, Sendable {
    case bbox(BoundingBox)
    case visibleMapRect(MapRect)
    case region(Region)
  }

  /// The scale of the map.
  public enum Scale: Hashable, Sendable {
    /// The width of the rect on the screen, in points, of a map that is neither turned nor tilted.
    case viewportWidth(Double)
    /// The world is 256 points wide at 0. See ``zoom(ofSegment:from:to:)``.
    case zoom(Double)
  }

  /// Where a cluster is drawn.
  public enum Clusterer: String, Codable, Sendable {
    case centerOfMass, nearCenter, cellCenter, first
  }

  /// The method of clustering.
  public enum Method: String, Codable, Sendable { case grid, distance, collision }
  /// The figure in which pins of one coordinate are spread.
  public enum PinLayout: String, Codable, Sendable { case circle, spiral }
  /// The unit of their distance.
  public enum SpreadUnit: String, Codable, Sendable { case meters, points }
  /// The languages of filters.
  public enum FilterLanguage: String, Codable, Sendable {
    case text = "cql2-text"
    case json = "cql2-json"
  }

  /// Settings of one group.
  public struct Group: Codable, Hashable, Sendable {
    /// The side of a cell in points.
    public var cellSize: Double?
    /// Where clusters are drawn.
    public var clusterer: Clusterer?
    /// The zoom above which nothing is clustered.
    public var maxZoomLevelForClustering: Double?
    /// The locations below which a cell is not clustered.
    public var minUniqueLocationsForClustering: Int?
    /// The features below which a cell is not clustered.
    public var minPoints: Int?

    /// Creates it with nothing set.
    public init() {}
  }

  /// A statistic of a property, in each annotation.
  public struct Aggregate: Codable, Hashable, Sendable {
    /// The kind of statistic.
    public enum Operation: Codable, Hashable, Sendable {
      case sum, mean, min, max, median
      /// The number of different values of any type.
      case distinct
      /// By nearest rank, of some percent from 1 to 99.
      case percentile(Int)

      /// Decodes it as the contract has it.
      ///
      /// - Throws: `DecodingError` for any other form.
      public init(from decoder: any Decoder) throws {
        let name = try decoder.singleValueContainer().decode(String.self)
        let plain = [Operation.sum, .mean, .min, .max, .median, .distinct]
        if let known = plain.first(where: { $0.name == name }) {
          self = known
        } else if name.utf8.first == UInt8(ascii: "p"), let percent = Int(name.dropFirst()) {
          self = .percentile(percent)
        } else {
          throw DecodingError.dataCorrupted(
            .init(codingPath: decoder.codingPath, debugDescription: "no operation \(name)"))
        }
      }

      /// Encodes it as the contract has it.
      ///
      /// - Throws: the error of the encoder.
      public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
      }

      private var name: String {
        switch self {
        case .sum: "sum"
        case .mean: "mean"
        case .min: "min"
        case .max: "max"
        case .median: "median"
        case .distinct: "distinct"
        case .percentile(let percent): "p\(percent)"
        }
      }
    }

    /// The statistic.
    public var operation: Operation
    /// The name of the property.
    public var property: String

    /// Creates it from its parts.
    public init(_ operation: Operation, of property: String) {
      (self.operation, self.property) = (operation, property)
    }

    /// Decodes it as the contract has it.
    ///
    /// - Throws: `DecodingError` for any other form.
    public init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      operation = try container.decode(Operation.self)
      property = try container.decode(String.self)
    }

    /// Encodes it as the contract has it.
    ///
    /// - Throws: the error of the encoder.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(operation)
      try container.encode(property)
    }
  }

  /// The properties that pins and members carry.
  public enum Properties: Encodable, Hashable, Sendable {
    case all, none
    case names([String])

    /// Encodes it as the contract has it.
    ///
    /// - Throws: the error of the encoder.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .all: try container.encode("*")
      case .none: try container.encode("none")
      case .names(let names): try container.encode(names)
      }
    }
  }

  /// How many features lie in each of some intervals of a property.
  public struct Histogram: Codable, Hashable, Sendable {
    /// The name of the property.
    public var property: String
    /// The number of intervals.
    public var bins: Int
    /// Where the first begins and the last ends; nil for all values.
    public var range: [JSONValue]?

    /// Creates it from its parts.
    public init(property: String, bins: Int, range: [JSONValue]? = nil) {
      (self.property, self.bins, self.range) = (property, bins, range)
    }
  }

  /// The part of the world that is visible.
  public var rect: Rect
  /// How large it is drawn; `pins` may do without.
  public var scale: Scale?
  /// The method of clustering.
  public var method: Method?
  /// The side of a cell in points.
  public var cellSize: Double?
  /// The step of zooms in which the grid follows the scale: while zooms round down to the same multiple, ids, counts
  /// and cells stay. 1 is that of maps with whole zooms.
  public var zoomStep: Double?
  /// The share of the rect that is added on each side.
  public var marginFactor: Double?
  /// Whether longitudes are on the side of the rect, beyond ±180 where need be.
  public var wrap: Bool?
  /// Where clusters are drawn.
  public var clusterer: Clusterer?
  /// The zoom above which nothing is clustered.
  public var maxZoomLevelForClustering: Double?
  /// The locations below which a cell is not clustered.
  public var minUniqueLocationsForClustering: Int?
  /// The features below which a cell is not clustered.
  public var minPoints: Int?
  /// Features that never join a cluster.
  public var keepApart: [FeatureID]?
  /// Whether features that are not clustered are pins, spread where they share a coordinate.
  public var decluster: Bool?
  /// How far they are spread.
  public var distanceFromContestedLocation: Double?
  /// The figure in which they are spread.
  public var pinLayout: PinLayout?
  /// The unit of that distance.
  public var spreadUnit: SpreadUnit?
  /// The property whose value is the title.
  public var titleProperty: String?
  /// The most titles in a subtitle.
  public var subtitleLimit: Int?
  /// The properties.
  public var properties: Properties?
  /// The most features that clusters list, or the listed ones.
  public var members: Int?
  /// Whether clusters carry their hull, or the hull.
  public var hull: Bool?
  /// Whether clusters tell where they come apart.
  public var expansion: Bool?
  /// The members that annotations carry; nil for all.
  public var fields: [String]?
  /// CQL2 text as a string, or CQL2 JSON as an object.
  public var filter: JSONValue?
  /// The language of the filter.
  public var filterLanguage: FilterLanguage?
  /// The only features that there are to be, at most 1000.
  public var ids: [FeatureID]?
  /// An instant or a span, as OGC's `datetime`.
  public var datetime: String?
  /// The property whose values keep features apart.
  public var groupBy: String?
  /// Settings of single groups, by key.
  public var groups: [String: Group]?
  /// The property whose values are counted.
  public var countBy: String?
  /// The property that is summed up, and weighs means.
  public var weightBy: String?
  /// Statistics, by names of your own.
  public var aggregate: [String: Aggregate]?
  /// How many features lie in each interval, if it was asked for.
  public var histogram: Histogram?
  /// How far linked features are apart, in points.
  public var epsilon: Double?
  /// The width and height of markers, in points.
  public var markerSize: [Double]?
  /// The property that tells which marker comes first.
  public var priorityBy: String?
  /// The property that features must share to join.
  public var clusterBy: String?
  /// The most annotations.
  public var limit: Int?
  /// Whether the cells are answered, too.
  public var debug: Bool?
  /// The annotations on screen, so that the answer says what becomes of them.
  public var previous: [Annotation]?

  /// - Parameters:
  ///   - rect: what is visible.
  ///   - scale: how large; only `pins` may do without.
  public init(_ rect: Rect, _ scale: Scale?) { (self.rect, self.scale) = (rect, scale) }

  enum CodingKeys: String, CodingKey {
    case bbox, visibleMapRect, region, viewportWidth, zoom
    case method, cellSize, zoomStep, marginFactor, wrap, clusterer, maxZoomLevelForClustering
    case minUniqueLocationsForClustering, minPoints, keepApart, decluster
    case distanceFromContestedLocation, pinLayout, spreadUnit, titleProperty, subtitleLimit
    case properties, members, hull, expansion, fields, filter
    case filterLanguage = "filter-lang"
    case ids, datetime, groupBy, groups, countBy, weightBy, aggregate, histogram
    case epsilon, markerSize, priorityBy, clusterBy, limit, debug, previous
  }

  /// Encodes it as the contract has it.
  ///
  /// - Throws: the error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    switch rect {
    case .bbox(let box): try fields.encode(box, forKey: .bbox)
    case .visibleMapRect(let rect): try fields.encode(rect, forKey: .visibleMapRect)
    case .region(let region): try fields.encode(region, forKey: .region)
    }
    switch scale {
    case .viewportWidth(let width): try fields.encode(width, forKey: .viewportWidth)
    case .zoom(let zoom): try fields.encode(zoom, forKey: .zoom)
    case nil: break
    }
    try encodeOptions(into: &fields)
    // Only ids and coordinates count, and this list is sent with each request.
    try fields.encodeIfPresent(
      previous?.map { Previous(id: $0.id, coordinate: $0.coordinate) }, forKey: .previous)
  }

  private struct Previous: Encodable {
    var id: String
    var coordinate: Coordinate?
  }

  /// Writes everything but the rect, the scale and the annotations on screen.
  func encodeOptions(into fields: inout KeyedEncodingContainer<CodingKeys>) throws {
    try fields.encodeIfPresent(method, forKey: .method)
    try fields.encodeIfPresent(cellSize, forKey: .cellSize)
    try fields.encodeIfPresent(zoomStep, forKey: .zoomStep)
    try fields.encodeIfPresent(marginFactor, forKey: .marginFactor)
    try fields.encodeIfPresent(wrap, forKey: .wrap)
    try fields.encodeIfPresent(clusterer, forKey: .clusterer)
    try fields.encodeIfPresent(maxZoomLevelForClustering, forKey: .maxZoomLevelForClustering)
    try fields.encodeIfPresent(
      minUniqueLocationsForClustering, forKey: .minUniqueLocationsForClustering)
    try fields.encodeIfPresent(minPoints, forKey: .minPoints)
    try fields.encodeIfPresent(keepApart, forKey: .keepApart)
    try fields.encodeIfPresent(decluster, forKey: .decluster)
    try fields.encodeIfPresent(
      distanceFromContestedLocation, forKey: .distanceFromContestedLocation)
    try fields.encodeIfPresent(pinLayout, forKey: .pinLayout)
    try fields.encodeIfPresent(spreadUnit, forKey: .spreadUnit)
    try fields.encodeIfPresent(titleProperty, forKey: .titleProperty)
    try fields.encodeIfPresent(subtitleLimit, forKey: .subtitleLimit)
    try fields.encodeIfPresent(properties, forKey: .properties)
    try fields.encodeIfPresent(members, forKey: .members)
    try fields.encodeIfPresent(hull, forKey: .hull)
    try fields.encodeIfPresent(expansion, forKey: .expansion)
    try fields.encodeIfPresent(self.fields, forKey: .fields)
    try fields.encodeIfPresent(filter, forKey: .filter)
    try fields.encodeIfPresent(filterLanguage, forKey: .filterLanguage)
    try fields.encodeIfPresent(ids, forKey: .ids)
    try fields.encodeIfPresent(datetime, forKey: .datetime)
    try fields.encodeIfPresent(groupBy, forKey: .groupBy)
    try fields.encodeIfPresent(groups, forKey: .groups)
    try fields.encodeIfPresent(countBy, forKey: .countBy)
    try fields.encodeIfPresent(weightBy, forKey: .weightBy)
    try fields.encodeIfPresent(aggregate, forKey: .aggregate)
    try fields.encodeIfPresent(histogram, forKey: .histogram)
    try fields.encodeIfPresent(epsilon, forKey: .epsilon)
    try fields.encodeIfPresent(markerSize, forKey: .markerSize)
    try fields.encodeIfPresent(priorityBy, forKey: .priorityBy)
    try fields.encodeIfPresent(clusterBy, forKey: .clusterBy)
    try fields.encodeIfPresent(limit, forKey: .limit)
    try fields.encodeIfPresent(debug, forKey: .debug)
  }
}
