/// A place in degrees.
public struct Coordinate: Codable, Hashable, Sendable {
  /// Degrees north.
  public var latitude: Double
  /// Degrees east.
  public var longitude: Double

  /// Creates it from its parts.
  public init(latitude: Double, longitude: Double) {
    (self.latitude, self.longitude) = (latitude, longitude)
  }
}

/// A place in MapKit's map points, of which the world has 2^28 on each side.
public struct MapPoint: Codable, Hashable, Sendable {
  /// East of 180° W.
  public var x: Double
  /// South of the northern edge.
  public var y: Double

  /// Creates it from its parts.
  public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
}

/// A rect in MapKit's map points, of which the world has 2^28 on each side.
public struct MapRect: Codable, Hashable, Sendable {
  /// The western edge.
  public var x: Double
  /// The northern edge; y runs south.
  public var y: Double
  /// The width.
  public var width: Double
  /// The height.
  public var height: Double

  /// Creates it from its parts.
  public init(x: Double, y: Double, width: Double, height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }
}

/// West, south, east and north edge in degrees.
public struct BoundingBox: Codable, Hashable, Sendable {
  /// Degrees east of the western edge.
  public var west: Double
  /// Degrees north of the southern edge.
  public var south: Double
  /// Degrees east of the eastern edge.
  public var east: Double
  /// Degrees north of the northern edge.
  public var north: Double

  /// Creates it from its parts.
  public init(west: Double, south: Double, east: Double, north: Double) {
    (self.west, self.south, self.east, self.north) = (west, south, east, north)
  }

  /// Decodes it as the contract has it.
  ///
  /// - Throws: `DecodingError` for any other form.
  public init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    west = try container.decode(Double.self)
    south = try container.decode(Double.self)
    east = try container.decode(Double.self)
    north = try container.decode(Double.self)
  }

  /// Encodes it as the contract has it.
  ///
  /// - Throws: the error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for edge in [west, south, east, north] { try container.encode(edge) }
  }
}

/// A center and a span in degrees, as `MKCoordinateRegion`.
public struct Region: Codable, Hashable, Sendable {
  /// The height and width in degrees.
  public struct Span: Codable, Hashable, Sendable {
    /// The height.
    public var latitudeDelta: Double
    /// The width.
    public var longitudeDelta: Double
  }

  /// The middle.
  public var center: Coordinate
  /// The size.
  public var span: Span

  /// Creates it from its parts.
  public init(center: Coordinate, latitudeDelta: Double, longitudeDelta: Double) {
    self.center = center
    span = Span(latitudeDelta: latitudeDelta, longitudeDelta: longitudeDelta)
  }
}

/// The convex hull of a cluster's features, as a GeoJSON geometry.
public struct Hull: Codable, Hashable, Sendable {
  /// The corners: one of a point, two of a line, those of a polygon counter-clockwise, without repetition.
  public var corners: [Coordinate]

  private enum Key: String, CodingKey { case type, coordinates }

  /// Decodes it as the contract has it.
  ///
  /// - Throws: `DecodingError` for any other form.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let positions: [[Double]] =
      switch try container.decode(String.self, forKey: .type) {
      case "Point": [try container.decode([Double].self, forKey: .coordinates)]
      case "LineString": try container.decode([[Double]].self, forKey: .coordinates)
      default:
        try container.decode([[[Double]]].self, forKey: .coordinates).first?.dropLast() ?? []
      }
    corners = positions.filter { $0.count > 1 }.map {
      Coordinate(latitude: $0[1], longitude: $0[0])
    }
  }

  /// Encodes it as the contract has it.
  ///
  /// - Throws: the error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    let positions = corners.map { [$0.longitude, $0.latitude] }
    switch positions.count {
    case ...1:
      try container.encode("Point", forKey: .type)
      try container.encode(positions.first ?? [], forKey: .coordinates)
    case 2:
      try container.encode("LineString", forKey: .type)
      try container.encode(positions, forKey: .coordinates)
    default:
      try container.encode("Polygon", forKey: .type)
      try container.encode([positions + positions.prefix(1)], forKey: .coordinates)
    }
  }
}
