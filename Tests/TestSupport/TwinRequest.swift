import ClusterCore

/// A viewport request, section 3, as the tests write it.
public struct TwinRequest: Sendable {
  /// The visible rect.
  public enum Rect: Sendable {
    /// Degrees; west > east crosses the antimeridian.
    case bbox(west: Double, south: Double, east: Double, north: Double)
    /// Map points.
    case mapRect(x: Double, y: Double, width: Double, height: Double)
    /// Degrees about a centre.
    case region(center: Coordinate, latitudeDelta: Double, longitudeDelta: Double)
  }

  /// The scale.
  public enum Scale: Sendable {
    /// The width of the visible rect in points.
    case viewportWidth(Double)
    /// The zoom level at which the world is 256 points wide at 0.
    case zoom(Double)
  }

  /// Where a cluster sits.
  public enum Clusterer: String, CaseIterable, Sendable {
    /// Mean latitude, mean longitude.
    case centerOfMass
    /// Its feature nearest the cell's centre.
    case nearCenter
    /// The cell's centre.
    case cellCenter
    /// Its first feature.
    case first
  }

  /// How features are put together.
  public enum Method: String, CaseIterable, Sendable {
    /// By cell.
    case grid
    /// Those near each other.
    case distance
    /// Those whose markers overlap.
    case collision
  }

  /// The visible rect.
  public var rect: Rect
  /// The scale.
  public var scale: Scale
  /// The size of a cell in points.
  public var cellSize = 60.0
  /// The step in which the grid follows the zoom.
  public var zoomStep = TwinZoomStep.finest
  /// The share of the rect added on each side.
  public var marginFactor = 0.5
  /// Where a cluster sits.
  public var clusterer = Clusterer.centerOfMass
  /// Above this zoom level nothing is clustered.
  public var maxZoomLevelForClustering: Double?
  /// A cell with fewer locations is not clustered.
  public var minUniqueLocationsForClustering = 0
  /// A cell with fewer features is not clustered.
  public var minPoints = 2
  /// Features that never join a cluster.
  public var keepApart: [FeatureID] = []
  /// Whether every feature is its own pin where clustering is off.
  public var decluster = false
  /// Metres, section 5.
  public var distanceFromContestedLocation = 3.0
  /// The property that titles come from.
  public var titleProperty: String?
  /// How many titles a subtitle holds.
  public var subtitleLimit = 5
  /// How many features a cluster lists.
  public var members = 0
  /// Whether the cells are asked for.
  public var debug = false
  /// The most annotations.
  public var limit = 10000
  /// Which features count, nil for all.
  public var filter: TwinFilter?
  /// How the filter is written.
  public var filterStyle = TwinFilter.Style()
  /// The property that annotations are weighted by.
  public var weightBy: String?
  /// The property whose values never share an annotation.
  public var groupBy: String?
  /// The settings of single groups.
  public var groups: [TwinGroupSettings] = []
  /// The property whose values are counted.
  public var countBy: String?
  /// What is computed of each annotation.
  public var aggregate: [TwinAggregate] = []
  /// How features are put together.
  public var method = Method.grid
  /// Points, of distance; 30 if nil.
  public var epsilon: Double?
  /// Points, of collision; 40 × 40 if nil.
  public var markerSize: TwinMarkerSize?
  /// The property that says who is placed first, of collision.
  public var priorityBy: String?
  /// The property whose equal values join, of collision.
  public var clusterBy: String?
  /// The annotations on screen.
  public var previous: [TwinPrevious]?

  /// A request with every default.
  public init(_ rect: Rect, _ scale: Scale) {
    self.rect = rect
    self.scale = scale
  }

  /// The request as a JSON body. Defaults are left out.
  public var json: TestJSON {
    var out: [TestJSON.Member] = []
    switch rect {
    case .bbox(let west, let south, let east, let north):
      out.append(.init("bbox", .array([west, south, east, north].map { TestJSON($0) })))
    case .mapRect(let x, let y, let width, let height):
      out.append(
        .init(
          "visibleMapRect",
          [
            "x": TestJSON(x), "y": TestJSON(y), "width": TestJSON(width),
            "height": TestJSON(height),
          ]))
    case .region(let center, let latitudeDelta, let longitudeDelta):
      out.append(
        .init(
          "region",
          [
            "center": [
              "latitude": TestJSON(center.latitude), "longitude": TestJSON(center.longitude),
            ],
            "span": [
              "latitudeDelta": TestJSON(latitudeDelta),
              "longitudeDelta": TestJSON(longitudeDelta),
            ],
          ]))
    }
    switch scale {
    case .viewportWidth(let width): out.append(.init("viewportWidth", TestJSON(width)))
    case .zoom(let zoom): out.append(.init("zoom", TestJSON(zoom)))
    }
    return .object(out + optionalMembers + statisticsMembers)
  }

  private var optionalMembers: [TestJSON.Member] {
    let plain = TwinRequest(rect, scale)
    var out: [TestJSON.Member] = []
    func add(_ name: String, _ value: TestJSON, unless isDefault: Bool) {
      if !isDefault { out.append(.init(name, value)) }
    }
    func number(_ name: String, _ path: KeyPath<TwinRequest, Double>) {
      add(name, TestJSON(self[keyPath: path]), unless: self[keyPath: path] == plain[keyPath: path])
    }
    func integer(_ name: String, _ path: KeyPath<TwinRequest, Int>) {
      let value = self[keyPath: path]
      add(name, .number(String(value)), unless: value == plain[keyPath: path])
    }
    number("cellSize", \.cellSize)
    number("zoomStep", \.zoomStep.value)
    number("marginFactor", \.marginFactor)
    number("distanceFromContestedLocation", \.distanceFromContestedLocation)
    integer("minUniqueLocationsForClustering", \.minUniqueLocationsForClustering)
    integer("minPoints", \.minPoints)
    integer("subtitleLimit", \.subtitleLimit)
    integer("members", \.members)
    integer("limit", \.limit)
    add("clusterer", .string(clusterer.rawValue), unless: clusterer == plain.clusterer)
    if let maxZoomLevelForClustering {
      add("maxZoomLevelForClustering", TestJSON(maxZoomLevelForClustering), unless: false)
    }
    let ids = keepApart.map { id in
      TwinFeature(id: id, coordinate: .init(latitude: 0, longitude: 0)).idJSON
    }
    add("keepApart", .array(ids), unless: keepApart.isEmpty)
    add("decluster", true, unless: !decluster)
    add("debug", true, unless: !debug)
    if let titleProperty { add("titleProperty", .string(titleProperty), unless: false) }
    return out
  }
}
